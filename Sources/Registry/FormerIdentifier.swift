// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The Bluetooth identifier that an app had for a device until the accessory was removed. It lets the app migrate the
/// device: become its user again with the identifier that it has stored.
///
/// Capacity: ``RegistryLimits/formersMax``; the oldest of the app that has the most gives way.
public struct FormerIdentifier: Equatable, Sendable, NumberedRow {
  public var number: Int64
  public var app: String
  public var bluetoothIdentifier: RandomIdentifier
  /// The address that the device had last.
  public var address: DeviceAddress

  public init(number: Int64, app: String, bluetoothIdentifier: RandomIdentifier, address: DeviceAddress) {
    (self.number, self.app, self.bluetoothIdentifier) = (number, app, bluetoothIdentifier)
    self.address = address
  }
}

extension AccessoryRegistry {
  /// Returns the app's former identifier; nil if there is none or it belongs to another app, which callers cannot tell
  /// apart.
  public func former(_ bluetoothIdentifier: RandomIdentifier, ofApp app: String) -> FormerIdentifier? {
    formers.first { $0.bluetoothIdentifier == bluetoothIdentifier && $0.app == app }
  }
}

extension RegistryEdit {
  /// Adds accessories that their app knew before: all of them or none.
  mutating func migrate(
    _ additions: [RegistryAddition], replacing replaced: Set<RandomIdentifier>
  ) throws(RegistryError) {
    for addition in additions {
      if let known = registry.accessory(ofApp: addition.app, on: addition.identity),
        replaced.contains(known.identifier)
      {
        drop(.accessory, number: known.number)
        if known.bluetoothIdentifier != addition.bluetoothIdentifier {
          try keepIdentifier(of: known, on: registry.device(of: known))
        }
      }
      // A migration pairs nothing: the bond that the device has for other apps stays.
      var addition = addition
      if registry.device(addition.identity)?.bond.record != nil { addition.bond = .none }
      try add(addition)
    }
  }

  /// Keeps the identifier of a removed accessory. One that its app never confirmed was never in use.
  mutating func keepIdentifier(
    of accessory: RegistryAccessory, on device: RegistryDevice
  ) throws(RegistryError) {
    guard accessory.state != .awaitingAuthorization, let identifier = accessory.bluetoothIdentifier,
      let address = device.identity.address
    else { return }
    if registry.formers.count >= RegistryLimits.formersMax,
      let oldest = registry.formerRows.rowToReplace(for: accessory.app)
    {
      drop(.former, number: oldest.number)
    }
    try put(
      .former(
        FormerIdentifier(
          number: registry.formerRows.nextNumber, app: accessory.app, bluetoothIdentifier: identifier,
          address: address)))
  }

  /// Forgets a former identifier that is in use again.
  mutating func forgetFormer(_ bluetoothIdentifier: RandomIdentifier) {
    for former in registry.formers where former.bluetoothIdentifier == bluetoothIdentifier {
      drop(.former, number: former.number)
    }
  }
}
