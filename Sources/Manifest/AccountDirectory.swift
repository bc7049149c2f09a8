// SPDX-License-Identifier: GPL-3.0-or-later

/// Looks up the accounts that a manifest names; the check and the agent ask the system, tests answer themselves.
public struct AccountDirectory: Sendable {
  public enum Answer: Equatable, Sendable {
    case known(id: UInt32)
    case unknown
    /// Nobody was asked, or the system could not say.
    case noAnswer
  }

  private let answer: @Sendable (App.Account) -> Answer

  public init(_ answer: @escaping @Sendable (App.Account) -> Answer) { self.answer = answer }

  public func lookUp(_ account: App.Account) -> Answer { answer(account) }

  /// Answers nothing, so that no account is doubted.
  public static let silent = AccountDirectory { _ in .noAnswer }
}
