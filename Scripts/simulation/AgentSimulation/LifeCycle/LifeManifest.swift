// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import VirtualRadio

/// Four apps: one of a user, two of another user, one of a group.
enum LifeManifest {
  static let users: [UInt32] = [2000, 2001, 2003, 2004]
  static let group: UInt32 = 300

  static func manifest(dice: inout SeededGenerator) -> GatewayManifest {
    var manifest = GatewayManifest()
    manifest.gateway.radio = .h4("controller")
    manifest.apps = (0..<4).map { number in
      var app = RandomManifest.app(number: number, dice: &dice)
      for index in app.items.indices { setOptions(&app.items[index], dice: &dice) }
      return app
    }
    return manifest
  }

  private static func setOptions(_ item: inout DisplayItem, dice: inout SeededGenerator) {
    let isImmediate = item.descriptor.range == .immediate
    item.selection = dice.pick([
      .operator, .operator, .operator, isImmediate ? .touch : .operator, .automatic,
    ])
    if dice.chance(perMille: 300) { item.setupOptions.insert(.rename) }
    if dice.chance(perMille: 350) { item.setupOptions.insert(.confirmAuthorization) }
    if dice.chance(perMille: 200) { item.setupOptions.insert(.finishInApp) }
    item.maxAccessories = UInt16(dice.pick([1, 3, 16]))
  }

  /// A changed manifest: items go, come back, and change.
  static func changed(_ manifest: GatewayManifest, dice: inout SeededGenerator) -> GatewayManifest {
    var manifest = manifest
    for index in manifest.apps.indices {
      switch dice.number(below: 6) {
      case 0: _ = manifest.apps[index].items.popLast()
      case 1:
        let app = RandomManifest.app(number: index, dice: &dice)
        manifest.apps[index].items = app.items
        for item in manifest.apps[index].items.indices {
          setOptions(&manifest.apps[index].items[item], dice: &dice)
        }
      default: break
      }
    }
    return manifest
  }

  /// With a random number, one in five assigns an app to another account.
  static func access(random: UInt64?) -> AccessList {
    var access = AccessList(
      operatorUsers: [0], operatorGroups: [ScriptedClient.operatorGroup], overflowUser: 65_534)
    access.appsOfUser = [2000: ["app0"], 2001: ["app1", "app2"]]
    access.appsOfGroup = [group: ["app3"]]
    if let random, random.isMultiple(of: 5) { access.appsOfUser = [2000: ["app0", "app2"], 2001: ["app1"]] }
    return access
  }
}

/// The identifiers and texts that were sent to any client: everything that a client could try.
struct Knowledge {
  /// Tokens of sessions, with their users and apps.
  var tokens: [(token: String, user: UInt32, app: String)] = []
  /// The app of each accessory that is or was; identifiers of both kinds.
  var owners: [String: String] = [:]
  /// Identifiers in the order in which they first occurred.
  var identifiers: [String] = []
  var requests: [String] = []
  var candidates: [(request: String, candidate: Int64)] = []
  var addresses: [String] = []
  var exported: [String] = []
  /// The replies that refuse a foreign token and a foreign accessory; all clients receive the same bytes.
  var tokenRefusal: [UInt8]?
  var accessoryRefusal: [UInt8]?
  var nameCount = 0
  /// Names that operators gave, and the apps that may know each.
  var names: [String: Set<String>] = [:]
  /// The user of each token.
  var tokenUsers: [String: UInt32] = [:]
  /// Requests for more than one accessory.
  var onBehalf: Set<String> = []
  /// The session of each picker.
  var shown: [String: String] = [:]
  /// Requests for one accessory that were decided.
  var chosen: Set<String> = []

  /// Forgets most of what the next run of the agent does not know; clients still try some of it.
  mutating func forgetRun() {
    chosen = []
    shown = [:]
    candidates = candidates.suffix(5)
    requests = requests.suffix(5)
  }
}
