// SPDX-License-Identifier: GPL-3.0-or-later

/// What the gateway's signal program (`on-touch`) is told: how a touch ended, and for which item.
public struct TouchSignal: Equatable, Sendable {
  public enum Outcome: String, CaseIterable, Sendable {
    case success, failure
  }

  public var outcome: Outcome
  public var app: String
  /// The item's id in the manifest.
  public var item: String

  public init(_ outcome: Outcome, app: String, item: String) {
    self.outcome = outcome
    self.app = app
    self.item = item
  }
}
