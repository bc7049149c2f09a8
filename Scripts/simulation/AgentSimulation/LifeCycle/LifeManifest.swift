// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import VirtualRadio

/// Four apps: one of a user, two of another, one of a group.
enum LifeManifest {
  static let users: [UInt32] = [2000, 2001, 2003, 2004]
  static let group: UInt32 = 300

  static func manifest(dice: inout SeededGenerator) -> GatewayManifest {
    var manifest = GatewayManifest()
    manifest.gateway.radio = .h4("controller")
    manifest.apps = (0..<4).map { number in
      var app = RandomManifest.app(number: number, dice: &dice)
      for place in app.items.indices { flavour(&app.items[place], dice: &dice) }
      return app
    }
    return manifest
  }

  private static func flavour(_ item: inout DisplayItem, dice: inout SeededGenerator) {
    let isImmediate = item.descriptor.range == .immediate
    item.selection = dice.pick([
      .operator, .operator, .operator, isImmediate ? .touch : .operator, .automatic,
    ])
    if dice.chance(perMille: 300) { item.setupOptions.insert(.rename) }
    if dice.chance(perMille: 350) { item.setupOptions.insert(.confirmAuthorization) }
    if dice.chance(perMille: 200) { item.setupOptions.insert(.finishInApp) }
    item.maxAccessories = UInt16(dice.pick([1, 3, 16]))
  }

  /// Items leave, come back, and change.
  static func changed(_ manifest: GatewayManifest, dice: inout SeededGenerator) -> GatewayManifest {
    var manifest = manifest
    for place in manifest.apps.indices {
      switch dice.number(below: 6) {
      case 0: _ = manifest.apps[place].items.popLast()
      case 1:
        let app = RandomManifest.app(number: place, dice: &dice)
        manifest.apps[place].items = app.items
        for item in manifest.apps[place].items.indices {
          flavour(&manifest.apps[place].items[item], dice: &dice)
        }
      default: break
      }
    }
    return manifest
  }

  /// With a draw, now and then an app is another account's.
  static func access(dice draw: UInt64?) -> AccessList {
    var access = AccessList(
      operatorUsers: [0], operatorGroups: [ScriptedClient.operatorGroup], overflowUser: 65_534)
    access.appsOfUser = [2000: ["app0"], 2001: ["app1", "app2"]]
    access.appsOfGroup = [group: ["app3"]]
    if let draw, draw.isMultiple(of: 5) { access.appsOfUser = [2000: ["app0", "app2"], 2001: ["app1"]] }
    return access
  }
}

/// What went around: everything that anybody could try.
struct Knowledge {
  /// Tokens of sessions, by whom and for which app.
  var tokens: [(token: String, user: UInt32, app: String)] = []
  /// Whose each accessory is or was: identifiers of both kinds.
  var owners: [String: String] = [:]
  /// Identifiers in the order in which they came up.
  var identifiers: [String] = []
  var requests: [String] = []
  var candidates: [(request: String, candidate: Int64)] = []
  var addresses: [String] = []
  var exported: [String] = []
  /// What refuses a foreign token and a foreign accessory; the same bytes for everybody.
  var tokenRefusal: [UInt8]?
  var accessoryRefusal: [UInt8]?
  var nameCount = 0
  /// Texts that people gave, and the apps that may know each.
  var names: [String: Set<String>] = [:]
  /// Which user each token was given to.
  var tokenUsers: [String: UInt32] = [:]
  /// Requests for more than one accessory.
  var onBehalf: Set<String> = []
  /// The session that each picker was shown for.
  var shown: [String: String] = [:]
  /// One request, one choice.
  var chosen: Set<String> = []

  /// What means nothing to another run of the agent; somebody will try it all the same.
  mutating func forgetRun() {
    chosen = []
    shown = [:]
    candidates = candidates.suffix(5)
    requests = requests.suffix(5)
  }
}
