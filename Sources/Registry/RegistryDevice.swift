// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Manifest

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
    (self.number, self.identity, self.displayName) = (number, identity, displayName)
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
    (self.number, self.app, self.item, self.identity) = (number, app, item, identity)
    self.secondAddress = secondAddress
  }

  /// Whether the tombstone is for the device with this identity.
  public func has(_ identity: DeviceIdentity) -> Bool {
    self.identity == identity || (secondAddress.map { .bluetooth($0) == identity } ?? false)
  }
}

/// A grant: a device that is an app's accessory. Grants of the same device to different apps share only the device.
public struct RegistryAccessory: Equatable, Sendable, NumberedRow {
  public var number: Int64
  public var identifier: RandomIdentifier
  public var app: String
  /// The item's id in the manifest; nil if the app supplied the item.
  public var item: String?
  /// The descriptor at setup, with what the app added since with an operator's consent. Advertisements are matched
  /// against the manifest's item while it exists.
  public var descriptor: DiscoveryDescriptor
  /// A second identity that the app added with an operator's consent.
  public var alternate: DiscoveryDescriptor?
  /// The number of its device.
  public var device: Int64
  /// nil for a device without Bluetooth.
  public var bluetoothIdentifier: RandomIdentifier?
  public var state: AccessoryState
  /// The name of the accessory's network, 1 to 32 bytes; the device's identity if it has no Bluetooth.
  public var ssid: [UInt8]?
  /// The 48 bits of a classic address.
  public var bridgingIdentifier: UInt64?
  /// What Wi-Fi Aware calls the device after pairing, as its app knew it; never 0.
  public var wifiAwarePairedDeviceID: UInt64?
  /// Wall-clock time in seconds since 1970; nil if the clock was not set.
  public var addedAt: Int64?

  public init(
    number: Int64, identifier: RandomIdentifier, app: String, descriptor: DiscoveryDescriptor, device: Int64,
    state: AccessoryState
  ) {
    (self.number, self.identifier, self.app, self.descriptor) = (number, identifier, app, descriptor)
    (self.device, self.state) = (device, state)
  }
}

/// How far the authorization of an accessory went: `ASAccessory.AccessoryState` with its raw values.
public enum AccessoryState: Int, CaseIterable, Sendable {
  case unauthorized = 0
  /// An operator chose the device, and the app has not confirmed it yet.
  case awaitingAuthorization = 10
  case authorized = 20
}
