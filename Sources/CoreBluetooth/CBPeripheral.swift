// SPDX-License-Identifier: Apache-2.0

public import AccessorySetupKit
public import Foundation
import GATT

/// How far the connection to a peripheral is.
@nonexhaustive public enum CBPeripheralState: Int, Sendable, BitwiseCopyable {
  /// The peripheral is not connected.
  case disconnected = 0
  /// A connection is being made.
  case connecting = 1
  /// The peripheral is connected.
  case connected = 2
  /// The connection is being ended.
  case disconnecting = 3
}

/// Whether the peripheral acknowledges a write.
@nonexhaustive public enum CBCharacteristicWriteType: Int, Sendable, BitwiseCopyable {
  /// The peripheral confirms it.
  case withResponse = 0
  /// The peripheral does not confirm it.
  case withoutResponse = 1
}

/// A device that an app talks to.
open class CBPeer: NSObject, @unchecked Sendable {
  /// `ASAccessory.bluetoothIdentifier`.
  public let identifier: UUID

  init(identifier: UUID) { self.identifier = identifier }

  open override var hash: Int { identifier.hashValue }

  open override func isEqual(_ object: Any?) -> Bool { (object as? CBPeer)?.identifier == identifier }
}

/// An accessory of the app, and the way to its services.
///
/// Properties change on the queue of the central manager, right before the delegate is called. Each call to a method
/// with a reply in ``CBPeripheralDelegate`` leads to exactly one reply, unless the manager goes away. The app keeps the
/// peripheral: with its last reference, its connection ends.
open class CBPeripheral: CBPeer, @unchecked Sendable {
  struct Contents {
    var name: String?
    var state = CBPeripheralState.disconnected
    var services: [CBService]?
  }

  /// Set it before connecting, or on the manager's queue.
  open weak var delegate: (any CBPeripheralDelegate)?
  let contents: Locked<Contents>
  let engine: CentralEngine

  init(identifier: UUID, name: String?, engine: CentralEngine) {
    contents = Locked(Contents(name: name))
    self.engine = engine
    super.init(identifier: identifier)
  }

  deinit { engine.peripheralWasReleased(identifier) }

  // MARK: Properties

  /// The name that the device gives itself: it is read after each connection, and advertised. Until it was received once,
  /// the accessory's name on the gateway.
  open var name: String? { contents.withLock { $0.name } }

  /// Whether it is connected.
  open var state: CBPeripheralState { contents.withLock { $0.state } }

  /// nil until they were discovered.
  open var services: [CBService]? { contents.withLock { $0.services } }

  /// Whether a value can be written without response now. If not, such a value is lost; the delegate is called when it
  /// can.
  open var canSendWriteWithoutResponse: Bool { engine.canQueueCommand(identifier) }

  /// Always false: there are no iOS notifications to authorize.
  open var ancsAuthorized: Bool { false }

  /// The length of the longest value that can be written in one call.
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    switch type {
    case .withResponse: GATTClient.valueBytesMax
    case .withoutResponse: engine.commandValueBytesMax(identifier)
    }
  }

  open override var description: String { "CBPeripheral(\(identifier), \(name ?? "no name"), \(state))" }

  // MARK: Discovery

  /// Reads the signal strength of the connection.
  open func readRSSI() {
    engine.readRSSI(of: identifier) { [self] result in
      delegate?.peripheral(
        self, didReadRSSI: NSNumber(value: (try? result.get()) ?? 127), error: result.error)
    }
  }

  /// Discovers services: those with these UUIDs, or all.
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    let uuids = serviceUUIDs.map { $0.map { AttributeUUID($0) } }
    let valid = uuids.map { $0.compactMap { $0 } }
    let isValid = uuids?.count == valid?.count
    beginOperation(.discoverServices(uuids: valid), unless: isValid ? nil : CBError.invalidUUID) {
      [self] result in
      if case .success(.services(let found)) = result { addServices(found, isComplete: valid == nil) }
      delegate?.peripheral(self, didDiscoverServices: result.error)
    }
  }

  /// Discovers the services that a service includes: those with these UUIDs, or all.
  open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    beginOperation(.discoverIncludedServices(service.service.range), on: service) { [self] result in
      if case .success(.services(let found)) = result {
        let wanted = found.filter { includedServiceUUIDs?.contains(CBUUID($0.uuid)) ?? true }
        service.setIncludedServices(addServices(wanted, isComplete: false))
      }
      delegate?.peripheral(self, didDiscoverIncludedServicesFor: service, error: result.error)
    }
  }

  /// Discovers the characteristics of a service: those with these UUIDs, or all.
  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    beginOperation(.discoverCharacteristics(service.service.range), on: service) { [self] result in
      if case .success(.characteristics(let found)) = result {
        let wanted = found.filter { characteristicUUIDs?.contains(CBUUID($0.uuid)) ?? true }
        let known = service.characteristics ?? []
        let others = known.filter { old in !wanted.contains(old.characteristic) }
        let all =
          wanted.map { new in
            known.first { $0.characteristic == new } ?? CBCharacteristic(new, of: service)
          } + (characteristicUUIDs == nil ? [] : others)
        service.setCharacteristics(
          all.sorted { $0.characteristic.valueHandle < $1.characteristic.valueHandle })
      }
      delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: result.error)
    }
  }

  /// Discovers the descriptors of a characteristic.
  open func discoverDescriptors(for characteristic: CBCharacteristic) {
    beginOperation(.discoverDescriptors(characteristic.characteristic), on: characteristic.service) {
      [self] result in
      if case .success(.descriptors(let found)) = result {
        characteristic.setDescriptors(found.map { CBDescriptor($0, of: characteristic) })
      }
      delegate?.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: result.error)
    }
  }

  // MARK: Values

  /// Reads a characteristic.
  open func readValue(for characteristic: CBCharacteristic) {
    beginOperation(.read(characteristic.characteristic.valueHandle), on: characteristic.service) {
      [self] result in
      if case .success(.value(let value)) = result { characteristic.setValue(value) }
      delegate?.peripheral(self, didUpdateValueFor: characteristic, error: result.error)
    }
  }

  /// Reads a descriptor.
  open func readValue(for descriptor: CBDescriptor) {
    beginOperation(.read(descriptor.handle), on: descriptor.characteristic?.service) { [self] result in
      if case .success(.value(let value)) = result { descriptor.setValue(value) }
      delegate?.peripheral(self, didUpdateValueFor: descriptor, error: result.error)
    }
  }

  /// Writes a value. Without response the delegate is called only when the value cannot be sent: it is too long, or
  /// ``canSendWriteWithoutResponse`` is false.
  open func writeValue(
    _ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType
  ) {
    let handle = characteristic.characteristic.valueHandle
    switch type {
    case .withResponse:
      beginOperation(.write(handle, Array(data)), on: characteristic.service) { [self] result in
        delegate?.peripheral(self, didWriteValueFor: characteristic, error: result.error)
      }
    case .withoutResponse:
      let refusal = isValid(characteristic.service) ? nil : CBError.staleAttribute
      engine.writeCommand(handle, Array(data), to: identifier, unless: refusal) { [self] error in
        delegate?.peripheral(self, didWriteValueFor: characteristic, error: error)
      }
    }
  }

  /// Writes a descriptor.
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    let refusal: CBError? =
      descriptor.isClientConfiguration
      ? CBError(
        .invalidParameters, "the Client Characteristic Configuration cannot be written directly",
        cure: "use setNotifyValue(_:for:)") : nil
    beginOperation(
      .write(descriptor.handle, Array(data)), on: descriptor.characteristic?.service, unless: refusal
    ) { [self] result in
      delegate?.peripheral(self, didWriteValueFor: descriptor, error: result.error)
    }
  }

  /// Switches notifications on or off; indications if the characteristic has no notifications.
  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    let properties = characteristic.properties
    let canNotify = !properties.isDisjoint(with: [.notify, .indicate])
    let subscription: GATTSubscription =
      enabled ? (properties.contains(.notify) ? .notifications : .indications) : .none
    beginOperation(
      .subscribe(characteristic.characteristic, subscription), on: characteristic.service,
      unless: canNotify
        ? nil : CBATTError(.requestNotSupported, "the characteristic neither notifies nor indicates")
    ) { [self] result in
      if case .success = result { characteristic.setNotifying(enabled) }
      delegate?.peripheral(self, didUpdateNotificationStateFor: characteristic, error: result.error)
    }
  }

  // MARK: Operations

  /// Begins an operation; `completion` runs on the manager's queue, also when the operation is refused.
  private func beginOperation(
    _ operation: GATTOperation, unless refusal: (any Error)? = nil,
    completion: @escaping @Sendable (Result<GATTResult, any Error>) -> Void
  ) {
    engine.beginOperation(operation, on: identifier, unless: refusal, completion: completion)
  }

  private func beginOperation(
    _ operation: GATTOperation, on service: CBService?, unless refusal: (any Error)? = nil,
    completion: @escaping @Sendable (Result<GATTResult, any Error>) -> Void
  ) {
    beginOperation(
      operation, unless: isValid(service) ? refusal : CBError.staleAttribute, completion: completion)
  }

  private func isValid(_ service: CBService?) -> Bool {
    service.map { $0.isValid && $0.peripheral === self } ?? false
  }
}

extension Result {
  /// The error; nil on success.
  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
