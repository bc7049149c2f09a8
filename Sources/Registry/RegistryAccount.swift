// SPDX-License-Identifier: GPL-3.0-or-later

/// Whose an app's accessories are: the account that acted as the app when the first was set up, or that an operator
/// confirmed since. An app has one while it has accessories.
public struct RegistryAccount: Equatable, Sendable, NumberedRow {
  public var number: Int64
  public var app: String
  public var account: AccountID

  public init(number: Int64, app: String, account: AccountID) {
    self.number = number
    self.app = app
    self.account = account
  }
}
