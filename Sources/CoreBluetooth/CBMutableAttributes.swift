// SPDX-License-Identifier: Apache-2.0

public import AccessorySetupKit
import Foundation
import GATT

// Services and what is in them as an app describes them. A gateway publishes none: there is no CBPeripheralManager. They
// are values for the app's own use, and an operation of a peripheral on one fails with `invalidHandle`.

/// What a peripheral allows with a value.
public struct CBAttributePermissions: OptionSet, Sendable, BitwiseCopyable {
  /// The bits.
  public let rawValue: UInt
  /// The bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// It can be read.
  public static var readable: CBAttributePermissions { CBAttributePermissions(rawValue: 1 << 0) }
  /// It can be written.
  public static var writeable: CBAttributePermissions { CBAttributePermissions(rawValue: 1 << 1) }
  /// It can be read on an encrypted connection only.
  public static var readEncryptionRequired: CBAttributePermissions {
    CBAttributePermissions(rawValue: 1 << 2)
  }
  /// It can be written on an encrypted connection only.
  public static var writeEncryptionRequired: CBAttributePermissions {
    CBAttributePermissions(rawValue: 1 << 3)
  }
}

/// A service that an app describes.
open class CBMutableService: CBService, @unchecked Sendable {
  private let isPrimaryService: Bool
  private let included = Locked<[CBService]?>(nil)
  private let members = Locked<[CBCharacteristic]?>(nil)

  /// Describes a service without characteristics.
  public init(type UUID: CBUUID, primary isPrimary: Bool) {
    isPrimaryService = isPrimary
    super.init(UUID)
  }

  /// Whether it is a service of its own, not only included by others.
  open override var isPrimary: Bool { isPrimaryService }

  /// The services that it includes.
  open override var includedServices: [CBService]? {
    get { included.withLock { $0 } }
    set { included.withLock { $0 = newValue } }
  }

  /// What it consists of.
  open override var characteristics: [CBCharacteristic]? {
    get { members.withLock { $0 } }
    set { members.withLock { $0 = newValue } }
  }
}

/// A characteristic that an app describes.
open class CBMutableCharacteristic: CBCharacteristic, @unchecked Sendable {
  private struct Description {
    var properties: CBCharacteristicProperties
    var value: Data?
    var permissions: CBAttributePermissions
    var descriptors: [CBDescriptor]?
  }

  private let own: Locked<Description>

  /// Describes a characteristic without descriptors.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?,
    permissions: CBAttributePermissions
  ) {
    own = Locked(Description(properties: properties, value: value, permissions: permissions))
    super.init(UUID)
  }

  /// What a peripheral would allow with the value.
  open var permissions: CBAttributePermissions {
    get { own.withLock { $0.permissions } }
    set { own.withLock { $0.permissions = newValue } }
  }

  /// What can be done with it.
  open override var properties: CBCharacteristicProperties {
    get { own.withLock { $0.properties } }
    set { own.withLock { $0.properties = newValue } }
  }

  /// Its value.
  open override var value: Data? {
    get { own.withLock { $0.value } }
    set { own.withLock { $0.value = newValue } }
  }

  /// What describes it.
  open override var descriptors: [CBDescriptor]? {
    get { own.withLock { $0.descriptors } }
    set { own.withLock { $0.descriptors = newValue } }
  }
}

/// A descriptor that an app describes.
open class CBMutableDescriptor: CBDescriptor, @unchecked Sendable {
  private struct Value: @unchecked Sendable { let value: Any? }
  private let own: Value

  /// Describes a descriptor with a value of the type that ``CBDescriptor/value`` has.
  public init(type UUID: CBUUID, value: Any?) {
    own = Value(value: value)
    super.init(UUID)
  }

  /// Its value.
  open override var value: Any? { own.value }
}
