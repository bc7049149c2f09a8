// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import Setup

extension SetupNotice {
  /// Which limit holds for it; nil for what is rare, or an operator's doing.
  var strangerKind: StrangerKind? {
    switch self {
    case .unknownIdentifier: .foreign
    case .disclosed: .disclosed
    case .resolved: .resolved
    case .automaticFailed: .automaticFailed
    case .added, .removed, .suspended, .restored, .transition: nil
    }
  }

  var level: LogLevel {
    switch self {
    case .automaticFailed: .warning
    case .unknownIdentifier, .added, .removed, .suspended, .restored: .notice
    case .resolved, .disclosed: .info
    case .transition: .debug
    }
  }

  /// What happened.
  var sentence: String {
    switch self {
    case .added(let app, let item, let identifier):
      "\(Self.path(app, item)) has a new accessory, \(identifier.text)"
    case .removed(let app, let item, let identifier):
      "\(Self.path(app, item)) has lost its accessory \(identifier.text)"
    case .suspended(let app, let item, let identifier):
      "\(Self.path(app, item)) has its accessory \(identifier.text) suspended: the app is another account's now; "
        + "accessoryctl authorize \(app) confirms that"
    case .restored(let app, let item, let identifier):
      "\(Self.path(app, item)) has its suspended accessory \(identifier.text) again"
    case .unknownIdentifier(let app): "\(app) asked about an accessory that it does not have"
    case .resolved(let app, let identifier): "\(app) was told the address of its accessory \(identifier.text)"
    case .disclosed(let app): "\(app) was told of a device that nobody has chosen yet"
    case .automaticFailed(let app, let item, let reason, let seconds):
      "a device was not set up for \(app)/\(item): \(reason); it is tried again after \(seconds / 60) min"
    case .transition(let flow, let app, let old, let new):
      "setup \(flow.text) of \(app): \(old) -> \(new)"
    }
  }

  private static func path(_ app: String, _ item: String?) -> String { item.map { "\(app)/\($0)" } ?? app }
}
