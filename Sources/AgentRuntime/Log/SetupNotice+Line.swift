// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Interfaces
import Registry
import Setup

extension SetupNotice {
  /// How much it matters, and the limit that applies; nil for lines that are rare or that an operator causes.
  var row: (level: LogLevel, limit: LimitedLineKind?) {
    switch self {
    case .unknownIdentifier: (.notice, .foreignAccessories)
    case .disclosed: (.info, .disclosed)
    case .resolved: (.info, .resolved)
    case .automaticFailed: (.warning, .automaticFailed)
    case .bondLost: (.warning, nil)
    case .requestOpened, .migrationLeftOut, .paired, .pairingFailed, .added, .removed, .replaced, .suspended,
      .restored, .registryImported:
      (.notice, nil)
    case .transition: (.debug, nil)
    }
  }

  /// What happened.
  var sentence: String {
    switch self {
    case .requestOpened(let request, let sentence):
      "\(sentence): request \(request.text), for accessoryctl pick"
    case .migrationLeftOut(let app, let reason, let count):
      "\(app) does not have \(count == 1 ? "a device" : "\(count) devices") again: \(reason)"
    case .added(let app, let item, let identifier):
      "\(Self.path(app, item)) has a new accessory, \(identifier.text)"
    case .removed(let app, let item, let identifier):
      "\(Self.path(app, item)) has lost its accessory \(identifier.text)"
    case .replaced(let app, let item, let identifier):
      "\(Self.path(app, item)) has another device for its accessory \(identifier.text)"
    case .suspended(let app, let item, let identifier):
      "\(Self.path(app, item)) has its accessory \(identifier.text) suspended: the app now belongs to another account; "
        + "accessoryctl authorize \(app) confirms this"
    case .restored(let app, let item, let identifier):
      "\(Self.path(app, item)) has its suspended accessory \(identifier.text) again"
    case .unknownIdentifier(let app): "\(app) asked about an accessory that is not its own"
    case .resolved(let app, let identifier): "\(app) received the address of its accessory \(identifier.text)"
    case .disclosed(let app): "\(app) received a device that no operator has chosen yet"
    case .paired(let app, let method, let isAuthenticated):
      "a device was paired for \(app) \(method.phrase); the bond is \(isAuthenticated ? "" : "not ")authenticated"
    case .pairingFailed(let app, let reason): "a device was not paired for \(app): \(reason)"
    case .bondLost(let app, let item, let identifier):
      "the bond of \(Self.path(app, item)) with its accessory \(identifier.text) is lost; "
        + "accessoryctl pair \(identifier.text) pairs it again"
    case .automaticFailed(let app, let item, let reason, let seconds):
      "a device was not set up for \(app)/\(item): \(reason); the agent tries again after \(seconds / 60) min"
    case .registryImported(let user, let accessories, let keyed):
      "user \(user) replaces the registry by an export of \(accessories) "
        + "\(accessories == 1 ? "accessory" : "accessories"), \(keyed) of them with the keys of bonds"
    case .transition(let flow, let app, let old, let new):
      "setup \(flow.text) of \(app): \(old) -> \(new)"
    }
  }

  private static func path(_ app: String, _ item: String?) -> String { item.map { "\(app)/\($0)" } ?? app }
}

extension PairingMethod {
  fileprivate var phrase: String {
    switch self {
    case .justWorks: "without a person"
    case .digitsEntered: "with digits that a person typed at the gateway"
    case .digitsShown: "with digits that a person typed at the device"
    case .digitsCompared: "with digits that a person compared"
    }
  }
}

extension LinkNotice {
  /// What happened.
  var sentence: String {
    switch self {
    case .connected(let app, let identifier): "\(app) is connected to its accessory \(identifier.text)"
    case .failed(let app, let identifier, let failure):
      "\(app) was not connected to its accessory \(identifier.text): \(failure.sentence)"
    case .ended(let app, let identifier, let end, let seconds):
      "\(app) is no longer connected to its accessory \(identifier.text), after \(seconds) s: \(end.sentence)"
    }
  }
}

extension LinkErrorKind {
  fileprivate var sentence: String {
    switch self {
    case .timeout: "it was not in reach, or did not accept the connection"
    case .inUse: "it is connected already, to an app or to another program"
    case .bond: "it does not accept the keys of its bond, or the kernel lacks them; the bond is lost"
    case .broken: "the connection broke off while it was made"
    case .radio: "the radio was closed"
    case .resources: "no file descriptor or memory was free"
    case .refused: "the kernel could not connect"
    case .abandoned: "the app gave it up, or lost its right to it"
    }
  }
}
