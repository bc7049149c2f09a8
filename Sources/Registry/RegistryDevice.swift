// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A device that is some app's accessory. It goes with the last of them.
public struct RegistryDevice: Equatable, Sendable, NumberedRow {
  public var number: Int64
  public var identity: DeviceIdentity
  /// Where else it advertises from: as a bootloader, for instance.
  public var secondAddress: DeviceAddress?
  /// The same for all apps; the first one's choice until somebody renames it.
  public var displayName: String
  /// False for one that changes its address and gave no key: it may not be known again.
  public var isIdentityDurable: Bool
  public var bond: Bond = .none

  public init(number: Int64, identity: DeviceIdentity, displayName: String, isIdentityDurable: Bool) {
    self.number = number
    self.identity = identity
    self.displayName = displayName
    self.isIdentityDurable = isIdentityDurable
  }

  /// Whether the device is known by that.
  public func has(_ identity: DeviceIdentity) -> Bool {
    self.identity == identity || (secondAddress.map { .bluetooth($0) == identity } ?? false)
  }
}
