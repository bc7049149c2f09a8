// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
import Foundation
import GATT

/// A descriptor of a characteristic.
open class CBDescriptor: CBAttribute, @unchecked Sendable {
  let handle: UInt16
  private let type: AttributeUUID
  private let bytes = Locked<[UInt8]?>(nil)
  private weak var owner: CBCharacteristic?

  init(_ descriptor: AttributeType, of characteristic: CBCharacteristic) {
    handle = descriptor.handle
    type = descriptor.uuid
    owner = characteristic
    super.init(CBUUID(descriptor.uuid))
  }

  /// A descriptor that no peripheral has.
  override init(_ uuid: CBUUID) {
    (handle, type) = (0, AttributeUUID(uuid) ?? .unassigned)
    super.init(uuid)
  }

  /// The characteristic that it describes; nil when that is gone.
  open var characteristic: CBCharacteristic? { owner }

  /// The value that was read last: an `NSNumber` for the extended properties and the configurations of client and
  /// server, a `String` for the user description, otherwise `Data`.
  open var value: Any? {
    guard let bytes = bytes.withLock({ $0 }) else { return nil }
    switch type.short {
    case 0x2900, 0x2902, 0x2903:
      return NSNumber(value: bytes.prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) })
    case 0x2901: return String(decoding: bytes, as: UTF8.self)
    default: return Data(bytes)
    }
  }

  func setValue(_ value: [UInt8]) { bytes.withLock { $0 = value } }

  /// Written by ``CBPeripheral/setNotifyValue(_:for:)`` only.
  var isClientConfiguration: Bool { type == .clientConfiguration }

  open override var description: String { "CBDescriptor(\(uuid))" }
}
