// SPDX-License-Identifier: Apache-2.0

/// What a client can be asked to do. Each operation is one or more requests.
public enum GATTOperation: Equatable, Sendable {
  /// Finds the primary services; only those of `uuids` unless it is nil. Result: `GATTResult.services`.
  case discoverServices(uuids: [AttributeUUID]?)
  /// Finds the services that the service of this range includes. Result: `GATTResult.services`.
  case discoverIncludedServices(HandleRange)
  /// Finds the characteristics of the service of this range. Result: `GATTResult.characteristics`.
  case discoverCharacteristics(HandleRange)
  /// Finds the descriptors of a characteristic. Result: `GATTResult.descriptors`.
  case discoverDescriptors(GATTCharacteristic)
  /// Reads a value of any length. Result: `GATTResult.value`.
  case read(UInt16)
  /// Reads the first value of a type. Result: `GATTResult.value`.
  case readFirst(AttributeUUID)
  /// Writes a value of any length, and waits for the response. Result: ``GATTResult/done``.
  case write(UInt16, [UInt8])
  /// Writes the Client Characteristic Configuration descriptor. Result: ``GATTResult/done``.
  case subscribe(GATTCharacteristic, GATTSubscription)

  var procedure: any GATTProcedure {
    switch self {
    case .discoverServices(nil): ServiceDiscovery()
    case .discoverServices(let uuids?): ServiceSearch(uuids: uuids)
    case .discoverIncludedServices(let range): IncludedServiceDiscovery(range: range)
    case .discoverCharacteristics(let range): CharacteristicDiscovery(range: range)
    case .discoverDescriptors(let characteristic): DescriptorDiscovery(range: characteristic.descriptorRange)
    case .read(let handle): ValueRead(handle: handle)
    case .readFirst(let type): TypedValueRead(type: type)
    case .write(let handle, let value): ValueWrite(handle: handle, value: value)
    case .subscribe(let characteristic, let subscription):
      SubscriptionWrite(range: characteristic.descriptorRange, subscription: subscription)
    }
  }
}

/// The result of an operation that succeeded.
public enum GATTResult: Equatable, Sendable {
  /// In the order of their handles.
  case services([GATTService])
  case characteristics([GATTCharacteristic])
  case descriptors([AttributeType])
  case value([UInt8])
  case done
}

/// Why an operation failed.
public enum GATTError: Error, Hashable, Sendable {
  /// The server refused a request for this attribute.
  case refused(ATTErrorCode, handle: UInt16)
  /// The response to a request is no packet.
  case malformedResponse(ATTPacketError)
  /// The response is a packet, but not one that may follow the request: handles outside the range that was asked for,
  /// or in the wrong order, or a value of the wrong length.
  case invalidResponse(ATTOpcode)
  /// The server repeated other bytes than it was sent; nothing was written.
  case valueWasAltered(handle: UInt16)
  /// The characteristic has no Client Characteristic Configuration descriptor.
  case noClientConfiguration
  /// A value is longer than an attribute may be (``GATTClient/valueBytesMax``).
  case valueTooLong(byteCount: Int)
  /// Too many operations wait (``GATTClient/operationsMax``).
  case tooManyOperations
  /// A response is missing for 30 s; no more requests can be made on this link.
  case timedOut
  /// The link ended, or was closed.
  case linkEnded
}
