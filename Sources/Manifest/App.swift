// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A local program: its account, what it may look for, and the accessories that it may set up.
public struct App: Equatable, Sendable {
  /// The account whose processes may act as the app; the kernel reports the account of a peer.
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
  /// Whether the app has a socket of its own, on which every process is the app and nothing more.
  public var hasOwnSocket = false
  public var supports: Set<Technology> = []
  /// Every company identifier that the app's descriptors may use.
  public var companyIdentifiers: Set<UInt16> = []
  /// Every service UUID that the app's descriptors may use.
  public var services: Set<BluetoothUUID> = []
  /// Every name substring that the app's descriptors may use, exactly.
  public var names: Set<[UInt8]> = []
  /// In the manifest's order.
  public var items: [DisplayItem] = []

  public init(name: String, account: Account) { (self.name, self.account) = (name, account) }
}

/// A lookup of the accounts that a manifest names: the system's for programs, a table for tests.
public struct AccountDirectory: Sendable {
  public enum Answer: Equatable, Sendable {
    case known(id: UInt32)
    case unknown
    /// There was no lookup, or the system could not do it.
    case noAnswer
  }

  /// The group whose members are operators.
  public static let operatorGroup = "accessory"

  private let answer: @Sendable (App.Account) -> Answer
  private let operators: @Sendable (String) -> Bool

  /// `operators` says of a user beside root whether it is an operator.
  public init(
    operators: @escaping @Sendable (String) -> Bool = { _ in false },
    _ answer: @escaping @Sendable (App.Account) -> Answer
  ) {
    (self.answer, self.operators) = (answer, operators)
  }

  public func lookUp(_ account: App.Account) -> Answer { answer(account) }

  /// Whether a user is root, or another operator.
  func isOperator(_ user: String) -> Bool { lookUp(.user(user)) == .known(id: 0) || operators(user) }

  /// Looks nothing up, so that no account is reported.
  public static let silent = AccountDirectory { _ in .noAnswer }
}
