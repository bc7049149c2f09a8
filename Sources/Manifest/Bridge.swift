// SPDX-License-Identifier: GPL-3.0-or-later

public import Values

/// A program that serves other programs, such as Home Assistant: its account, what it may see, and what it may do.
public struct Bridge: Equatable, Sendable {
  public var name: String
  /// The user whose processes are the bridge; an empty one is no account's.
  public var user: String
  /// Which devices it may see: those of its apps, unless it sees everything.
  public var forward = ReportForward.accessories
  /// The apps whose devices it sees; nil for all.
  public var apps: Set<String>?
  public var may: Set<BridgePermission> = []

  public init(name: String, user: String) { (self.name, self.user) = (name, user) }

  /// Whether it sees every device and every app.
  public var seesEverything: Bool { forward == .everything && apps == nil }
}
