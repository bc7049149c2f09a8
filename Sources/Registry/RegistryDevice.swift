// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest

/// A device that is the accessory of at least one app. It is removed with its last accessory.
public struct RegistryDevice: Equatable, Sendable, NumberedRow {
  public var number: Int64
  public var identity: DeviceIdentity
  /// A second address that it advertises from, as a bootloader for instance.
  public var secondAddress: DeviceAddress?
  /// The same for all apps: chosen at the first setup, until the device is renamed.
  public var displayName: String
  /// false for a device that changes its address and gave no key: it may not be recognised later.
  public var isIdentityDurable: Bool
  public var bond: Bond = .none
  /// The longest of its pauses between receptions, in milliseconds; nil while it is unknown, and for a device that sends
  /// all the time or has no Bluetooth.
  public var rhythmMilliseconds: UInt32?

  public init(number: Int64, identity: DeviceIdentity, displayName: String, isIdentityDurable: Bool) {
    self.number = number
    self.identity = identity
    self.displayName = displayName
    self.isIdentityDurable = isIdentityDurable
  }

  /// Whether the device has this identity, or it as its second address.
  public func has(_ identity: DeviceIdentity) -> Bool {
    self.identity == identity || (secondAddress.map { .bluetooth($0) == identity } ?? false)
  }

  /// The addresses that it advertises from.
  public var addresses: [DeviceAddress] { [identity.address, secondAddress].compactMap(\.self) }

  /// What is known of the device's rhythm, out of what is known by address; nil when it is missing there.
  public func rhythm(in rhythms: [DeviceAddress: UInt32?]) -> UInt32?? {
    addresses.lazy.compactMap { rhythms[$0.settled] }.first
  }

  /// The 48 bits of the address of a dual-mode device on the classic transport, if a key for it came with the bond.
  var classicAddress: UInt64? {
    guard bond.record?.hasLinkKey == true, let address = identity.address, address.type == .public else {
      return nil
    }
    return address.bits
  }

  /// Makes the identity that a bond revealed the durable one.
  mutating func setIdentity(_ identity: DeviceIdentity) {
    if secondAddress.map(DeviceIdentity.bluetooth) == identity { secondAddress = nil }
    self.identity = identity
    isIdentityDurable = true
  }
}

/// What a device is recognised by.
public enum DeviceIdentity: Hashable, Sendable {
  /// The address it advertises from; the identity address once a bond has revealed it.
  case bluetooth(DeviceAddress)
  /// The full name of its network, for a device without Bluetooth.
  case network([UInt8])

  public var address: DeviceAddress? {
    if case .bluetooth(let address) = self { address } else { nil }
  }

  public var ssid: [UInt8]? {
    if case .network(let ssid) = self { ssid } else { nil }
  }

  /// The identity as the registry keeps it: an address without the mark of a resolved one.
  public var settled: DeviceIdentity {
    switch self {
    case .bluetooth(let address): .bluetooth(address.settled)
    case .network: self
    }
  }

  /// The address, AA:BB:CC:DD:EE:FF, or the network's name, for display.
  public var text: String {
    switch self {
    case .bluetooth(let address): AddressText.text(of: address.bits)
    case .network(let ssid): String(decoding: ssid, as: UTF8.self)
    }
  }
}

/// The mark of a device that was removed from an app: it is not set up again by touch or automatically until an operator
/// allows it.
public struct RegistryTombstone: Equatable, Sendable, NumberedRow {
  public var number: Int64
  public var app: String
  public var item: String
  public var identity: DeviceIdentity
  /// A second address that the device advertised from.
  public var secondAddress: DeviceAddress?

  public init(
    number: Int64, app: String, item: String, identity: DeviceIdentity, secondAddress: DeviceAddress? = nil
  ) {
    self.number = number
    self.app = app
    self.item = item
    self.identity = identity
    self.secondAddress = secondAddress
  }

  /// Whether the tombstone is for the device with this identity.
  public func has(_ identity: DeviceIdentity) -> Bool {
    self.identity == identity || (secondAddress.map { .bluetooth($0) == identity } ?? false)
  }
}
