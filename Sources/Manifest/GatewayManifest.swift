// SPDX-License-Identifier: GPL-3.0-or-later

/// Everything the integrator says: one gateway and its apps.
public struct GatewayManifest: Equatable, Sendable {
  /// The format this program reads: the value of the key `schema`.
  public static let schema: Int64 = 1

  public var gateway = Gateway()
  /// In the manifest's order, which is the order of matches.
  public var apps: [App] = []

  public init() {}
}
