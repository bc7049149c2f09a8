// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A local program: who it is, what it may look for, and the accessories it may set up.
public struct App: Equatable, Sendable {
  /// The account whose processes may act as the app; the kernel says who a peer is.
  public enum Account: Hashable, Sendable {
    case user(String)
    case group(String)
  }

  /// A radio an app may use (the values of `NSAccessorySetupSupports`).
  public enum Technology: String, CaseIterable, Sendable {
    case bluetooth = "Bluetooth"
    case wifi = "WiFi"
  }

  public var name: String
  public var account: Account
  public var supports: Set<Technology> = []
  /// Every company identifier that the app's descriptors may use.
  public var companyIdentifiers: Set<UInt16> = []
  /// Every service UUID that the app's descriptors may use.
  public var services: Set<BluetoothUUID> = []
  /// Every name substring that the app's descriptors may use, exactly.
  public var names: Set<[UInt8]> = []
  /// In the manifest's order.
  public var items: [DisplayItem] = []

  public init(name: String, account: Account) {
    self.name = name
    self.account = account
  }
}
