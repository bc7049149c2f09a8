// SPDX-License-Identifier: GPL-3.0-or-later

/// A program that serves other programs, such as Home Assistant: its account, what it may see, and what it may do.
public struct Bridge: Equatable, Sendable {
  /// Which devices it may see.
  public enum Forward: String, CaseIterable, Sendable {
    /// The accessories of its apps.
    case accessories
    /// Every device that an item of its apps has found.
    case items
    /// Every device in reach.
    case everything
  }

  /// What it may do beside seeing.
  public enum Right: String, CaseIterable, Sendable {
    case pick, rename, remove, scan
  }

  public var name: String
  /// The user whose processes are the bridge; an empty one is no account's.
  public var user: String
  public var forward = Forward.accessories
  /// The apps whose devices it sees; nil for all.
  public var apps: Set<String>?
  public var may: Set<Right> = []

  public init(name: String, user: String) {
    self.name = name
    self.user = user
  }

  /// Whether it sees every device and every app.
  public var seesEverything: Bool { forward == .everything && apps == nil }
}
