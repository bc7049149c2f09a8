// SPDX-License-Identifier: Apache-2.0

/// A service: its declaration and everything up to `range.end` (Core Specification 5.4, Volume 3, Part G, 3.1).
public struct GATTService: Hashable, Sendable {
  public let range: HandleRange
  public let uuid: AttributeUUID

  public init(range: HandleRange, uuid: AttributeUUID) {
    self.range = range
    self.uuid = uuid
  }
}

/// A characteristic: its declaration, its value, and descriptors up to `endHandle` (Part G, 3.3).
public struct GATTCharacteristic: Hashable, Sendable {
  public let declarationHandle: UInt16
  public let valueHandle: UInt16
  public let endHandle: UInt16
  /// What can be done with it (Part G, table 3.5).
  public let properties: UInt8
  public let uuid: AttributeUUID

  public init(
    declarationHandle: UInt16, valueHandle: UInt16, endHandle: UInt16, properties: UInt8, uuid: AttributeUUID
  ) {
    self.declarationHandle = declarationHandle
    self.valueHandle = valueHandle
    self.endHandle = endHandle
    self.properties = properties
    self.uuid = uuid
  }

  /// The handles of its descriptors; nil when it has none.
  var descriptorRange: HandleRange? {
    valueHandle < endHandle ? HandleRange(valueHandle + 1, endHandle) : nil
  }
}

/// What a server sends without being asked each time (Part G, 3.3.3.3).
public enum GATTSubscription: UInt16, Sendable {
  case none = 0
  case notifications = 1
  /// Each one is confirmed.
  case indications = 2

  /// The value of the Client Characteristic Configuration descriptor.
  var value: [UInt8] { [UInt8(rawValue), 0] }
}
