// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
public import Foundation
import GATT

/// What can be done with a characteristic.
public struct CBCharacteristicProperties: OptionSet, Sendable, BitwiseCopyable {
  /// The bits.
  public let rawValue: UInt
  /// The bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The bits.
  public static var broadcast: CBCharacteristicProperties { CBCharacteristicProperties(rawValue: 0x01) }
  /// The bits.
  public static var read: CBCharacteristicProperties { CBCharacteristicProperties(rawValue: 0x02) }
  /// It can be written without a response.
  public static var writeWithoutResponse: CBCharacteristicProperties {
    CBCharacteristicProperties(rawValue: 0x04)
  }
  /// The bits.
  public static var write: CBCharacteristicProperties { CBCharacteristicProperties(rawValue: 0x08) }
  /// The bits.
  public static var notify: CBCharacteristicProperties { CBCharacteristicProperties(rawValue: 0x10) }
  /// The bits.
  public static var indicate: CBCharacteristicProperties { CBCharacteristicProperties(rawValue: 0x20) }
  /// It can be written with a signature.
  public static var authenticatedSignedWrites: CBCharacteristicProperties {
    CBCharacteristicProperties(rawValue: 0x40)
  }
  /// A descriptor has more properties.
  public static var extendedProperties: CBCharacteristicProperties {
    CBCharacteristicProperties(rawValue: 0x80)
  }
  /// It notifies on an encrypted connection only.
  public static var notifyEncryptionRequired: CBCharacteristicProperties {
    CBCharacteristicProperties(rawValue: 0x100)
  }
  /// It indicates on an encrypted connection only.
  public static var indicateEncryptionRequired: CBCharacteristicProperties {
    CBCharacteristicProperties(rawValue: 0x200)
  }
}

/// A characteristic of a service.
open class CBCharacteristic: CBAttribute, @unchecked Sendable {
  private struct Contents {
    var value: Data?
    var descriptors: [CBDescriptor]?
    var isNotifying = false
  }

  let characteristic: GATTCharacteristic
  private let contents = Locked(Contents())
  private weak var owner: CBService?

  init(_ characteristic: GATTCharacteristic, of service: CBService) {
    self.characteristic = characteristic
    owner = service
    super.init(CBUUID(characteristic.uuid))
  }

  /// A characteristic that no peripheral has.
  override init(_ uuid: CBUUID) {
    characteristic = GATTCharacteristic(
      declarationHandle: 0, valueHandle: 0, endHandle: 0, properties: 0,
      uuid: AttributeUUID(uuid) ?? .unassigned)
    super.init(uuid)
  }

  /// The service that it is part of; nil when that is gone.
  open var service: CBService? { owner }

  /// What can be done with it.
  open var properties: CBCharacteristicProperties {
    CBCharacteristicProperties(rawValue: UInt(characteristic.properties))
  }

  /// The value that was read or notified last.
  open var value: Data? { contents.withLock { $0.value } }

  /// nil until they were discovered.
  open var descriptors: [CBDescriptor]? { contents.withLock { $0.descriptors } }

  /// Whether it notifies or indicates.
  open var isNotifying: Bool { contents.withLock { $0.isNotifying } }

  func setValue(_ value: [UInt8]) { contents.withLock { $0.value = Data(value) } }

  func setDescriptors(_ descriptors: [CBDescriptor]) { contents.withLock { $0.descriptors = descriptors } }

  func setNotifying(_ isNotifying: Bool) { contents.withLock { $0.isNotifying = isNotifying } }

  open override var description: String { "CBCharacteristic(\(uuid))" }
}
