// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
public import Manifest

extension ManifestText {
  /// A name as a key.
  public static func key(_ name: String) -> String { name.isBareKey ? name : quoted(name) }
}

extension App {
  /// The app's own table, without its items.
  public var sectionLines: [String] {
    let owner =
      switch account {
      case .user(let name): "user = \(ManifestText.quoted(name))"
      case .group(let name): "group = \(ManifestText.quoted(name))"
      }
    let lists: [(AppKey, [String])] = [
      (.supports, App.Technology.allCases.filter(supports.contains).map(\.rawValue)),
      (.companyIdentifiers, companyIdentifiers.sorted().map(Hex.company)),
      (.services, services.map(IdentifierText.text).sorted()),
      (.names, names.map { String(decoding: $0, as: UTF8.self) }.sorted()),
    ]
    return ["[app.\(ManifestText.key(name))]", owner]
      + lists.filter { !$0.1.isEmpty }.map { "\($0.rawValue) = \(ManifestText.list($1))" }
  }
}

/// An item for a manifest, before it has an app: its name, what it asks for, and nothing else.
public struct SuggestedItem: Equatable, Sendable {
  public let name: String
  public let descriptor: DiscoveryDescriptor
  /// Its `gate.lost-ms`; nil for the default.
  public let lostMilliseconds: Int64?
  /// Lines that begin with `#`.
  public let comments: [String]

  public init(
    name: String, descriptor: DiscoveryDescriptor, lostMilliseconds: Int64? = nil, comments: [String]
  ) {
    (self.name, self.descriptor, self.comments) = (name, descriptor, comments)
    self.lostMilliseconds = lostMilliseconds
  }

  /// An app that declares what the item asks for.
  public var app: App {
    var app = App(name: "new", account: .user("daemon"))
    if descriptor.hasBluetoothClause { app.supports.insert(.bluetooth) }
    if descriptor.hasWiFiClause { app.supports.insert(.wifi) }
    app.companyIdentifiers = Set(descriptor.companyIdentifier.map { [$0] } ?? [])
    app.services = Set(descriptor.serviceUUID.map { [$0] } ?? [])
    app.names = Set(descriptor.nameSubstring.map { [$0] } ?? [])
    return app
  }

  /// A manifest with the item alone.
  public var manifest: String {
    let lines =
      ["schema = 1", "# Name the app and its own account."] + app.sectionLines + [""]
      + itemLines(of: app.name)
    return lines.map { $0 + "\n" }.joined()
  }

  /// The item's table with its comments. `id` is needed where the app has an item of the same name.
  public func itemLines(of app: String, id: String? = nil) -> [String] {
    let identity =
      (id.map { ["id = \(ManifestText.quoted($0))"] } ?? []) + ["name = \(ManifestText.quoted(name))"]
    return comments + ["[[app.\(ManifestText.key(app)).item]]"] + identity
      + descriptor.lines.map { "descriptor.\($0)" }
      + (lostMilliseconds.map { ["gate.\(GateKey.lost.rawValue) = \($0)"] } ?? [])
  }
}
