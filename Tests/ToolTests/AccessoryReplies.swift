// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Varlink

/// Replies of the stand-in agent about accessories and the registry.
extension Replies {
  static let lamp = "0123456789abcdef0123456789abcdef"
  static let twin = "fedcba9876543210fedcba9876543210"
  static let shared = "00ff00ff00ff00ff00ff00ff00ff00ff"

  /// A lamp in sight, its twin by name, and the lamp again as another app's.
  static let accessories: [ScriptedAgent.Step] = [
    accessory(lamp, level: -44),
    accessory(twin, address: "C4:A1:00:00:1E:28", status: "orphaned"),
    accessory(shared, "Disco \u{1B}[2J", app: "music", item: "strobe", status: "suspended"),
    .send(Message.reply()),
  ]

  static func accessory(
    _ identifier: String, _ name: String = "Desk lamp", app: String = "lights", item: String = "bulb",
    address: String = "C4:A1:00:00:1E:27", status: String = "active", level: Int? = nil,
    pairingNote: String? = nil
  ) -> ScriptedAgent.Step {
    .send(
      Message.reply(continues: true) { json in
        json.object("accessory") { json in
          json.member("identifier", identifier)
          json.member("app", app)
          json.member("item", item)
          json.member("displayName", name)
          json.member("state", "authorized")
          json.member("status", status)
          json.member("address", address)
          json.member("addressType", "random")
          json.member("bond", pairingNote == nil ? "bonded" : "lost")
          if let pairingNote { json.member("pairingNote", pairingNote) }
          json.member("isIdentityDurable", true)
          json.member("isInSight", level != nil)
          json.member("filteredRSSI", level)
          json.member("addedAt", 1_700_000_000)
        }
      })
  }

  static func registry(
    _ state: String = "open", sentence: String? = nil, removed: [(String, String)] = [],
    unpairing: [String] = [], formers: [(String, String)] = []
  ) -> [ScriptedAgent.Step] {
    var steps: [ScriptedAgent.Step] = [
      .send(
        Message.reply(continues: true) { json in
          json.member("state", state)
          json.member("sentence", sentence)
          json.member("accessories", 3)
        })
    ]
    for device in unpairing {
      steps.append(
        .send(
          Message.reply(continues: true) { json in
            json.object("unpairing") { json in json.member("device", device) }
          }))
    }
    for (identifier, device) in formers {
      steps.append(
        .send(
          Message.reply(continues: true) { json in
            json.object("former") { json in
              json.member("app", "lights")
              json.member("bluetoothIdentifier", identifier)
              json.member("device", device)
            }
          }))
    }
    for (item, device) in removed {
      steps.append(
        .send(
          Message.reply(continues: true) { json in
            json.object("removed") { json in
              json.member("app", "lights")
              json.member("item", item)
              json.member("device", device)
            }
          }))
    }
    return steps + [.send(Message.reply())]
  }

  static func accessories(_ count: Int) -> ScriptedAgent.Step {
    .send(Message.reply { $0.member("accessories", count) })
  }
}
