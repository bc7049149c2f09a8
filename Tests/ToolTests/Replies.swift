// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Interfaces
import JSON
import ToolText
import Varlink

/// What the stand-in for the agent says.
enum Replies {
  static let epoch = "00112233445566778899aabbccddeeff"
  static let laterEpoch = "ffeeddccbbaa99887766554433221100"

  static func greeting(
    epoch: String = epoch, sequence: Int, reset: Bool = false
  ) -> ScriptedAgent.Step {
    .send(
      Message.reply(continues: true) { json in
        json.member("epoch", epoch)
        json.member("sequence", sequence)
        json.member("time", 100)
        if reset { json.member("isReset", true) }
      })
  }

  static func event(_ sequence: Int, passed: Int? = nil, item: String = "bulb") -> ScriptedAgent.Step {
    .send(
      Message.reply(continues: true) { json in
        json.object("event") { json in
          json.member("sequence", sequence)
          json.member("passed", passed)
          json.member("time", 99)
          json.member("event", "found")
          json.member("app", "lights")
          json.member("item", item)
          json.member("address", "C4:A1:00:00:1E:27")
          json.member("addressType", "random")
          json.member("rssi", -44)
          json.member("filteredRSSI", -45)
          json.member("pathLoss", Int?.none)
          json.member("samples", 5)
          json.member("reason", "entered")
          json.member("data", "020106")
        }
      })
  }

  /// Answers to Sightings: devices that have names.
  static func devices(_ devices: [(bits: UInt64, name: String)], item: String? = nil) -> [[UInt8]] {
    devices.map { bits, name in
      let line = DeviceLine(
        address: DeviceAddress(bits: bits, type: .random), name: AirText(Array(name.utf8)), rssi: -60,
        filteredRSSI: -60, reports: 1, firstSeen: Seconds(microseconds: 1),
        lastSeen: Seconds(microseconds: 1),
        silence: Seconds(microseconds: 0), intervalMilliseconds: nil,
        items: item.map { [DeviceLine.Item(app: "lights", item: $0, presence: .outside)] } ?? [], data: [])
      return Message.reply(continues: true) { json in json.object("device") { line.writeMembers(to: &$0) } }
    } + [Message.reply()]
  }

  /// Items of the manifest in force, `app/item` with the lines of its descriptor.
  static func items(_ items: [(path: String, lines: [String])]) -> [[UInt8]] {
    items.map { path, lines in
      let names = path.split(separator: "/").map(String.init)
      let line = ItemLine(app: names[0], item: names[1], descriptor: lines)
      return Message.reply(continues: true) { json in json.object("item") { line.writeMembers(to: &$0) } }
    } + [Message.reply()]
  }

  static func missed(_ count: Int) -> ScriptedAgent.Step {
    .send(Message.reply(continues: true) { $0.member("missed", count) })
  }

  /// A connection of an app that was made, or that has ended.
  static func connection(end: String? = nil) -> ScriptedAgent.Step {
    .send(
      Message.reply(continues: true) { json in
        json.object("connection") { json in
          json.member("time", 99)
          json.member("event", end == nil ? "connected" : "disconnected")
          json.member("app", "lights")
          json.member("accessory", lamp)
          json.member("displayName", "Desk lamp")
          json.member("address", "C4:A1:00:00:1E:27")
          json.member("addressType", "random")
          if let end {
            json.member("end", end)
            json.member("duration", 190)
          }
        }
      })
  }

  /// A change of the radio; with a gap, the end of a time without a scan.
  static func radioChanged(gap: Double? = nil) -> ScriptedAgent.Step {
    .send(
      Message.reply(continues: true) { json in
        json.object("radioChanged") { json in
          json.member("time", 99)
          json.member("state", gap == nil ? "recovering" : "on")
          json.member("detail", gap == nil ? "it pauses" : "it scans")
          if let gap { json.member("gap", Seconds(microseconds: Int64(gap * 1_000_000))) }
        }
      })
  }

  static func missedConnections(_ count: Int) -> ScriptedAgent.Step {
    .send(Message.reply(continues: true) { $0.member("missedConnections", count) })
  }

  static func failure(
    _ name: String, _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) -> ScriptedAgent.Step {
    .send(Message.error(name, parameters))
  }

  static func status(
    problem: String? = nil, warning: String? = nil, state: String = "on", networkProblem: String? = nil,
    hasNetworks: Bool = false, openRequests: [OpenRequestLine] = [],
    listening: ListeningLine? = nil, filter: String? = nil
  ) -> ScriptedAgent.Step {
    .send(
      Message.reply { json in
        json.member("version", "0.1.0")
        json.member("epoch", epoch)
        json.member("time", 18_730)
        json.object("radio") { json in
          json.member("source", "hci0")
          json.member("state", state)
          json.member("detail", "it scans, passive, extended")
          json.member("scan", "passive")
          json.member("address", "DC:A6:32:00:00:01")
          json.member("hasExtendedAdvertising", true)
          json.member("hasCodedPHY", false)
          json.member("initializations", 1)
          json.member("failures", 0)
          json.member("dropped", 0)
          json.member("queueing", Seconds(microseconds: 9_120))
          json.member("queueingMax", Seconds(microseconds: 24_960))
          json.member("filter", filter)
        }
        if hasNetworks || networkProblem != nil {
          json.object("wifi") { json in
            json.member("interface", "wlan0")
            json.member("state", networkProblem == nil ? "on" : "failed")
            json.member("networks", 1)
            if let networkProblem { json.member("problem", networkProblem) }
          }
        }
        if let listening { json.object("listening", listening) }
        json.objects("problems", problem.map { [$0] } ?? []) { json, sentence in
          json.member("kind", "radioAbsent")
          json.member("sentence", sentence)
        }
        json.objects("warnings", warning.map { [$0] } ?? []) { json, sentence in
          json.member("kind", "networksMissing")
          json.member("sentence", sentence)
        }
        json.objects("openRequests", openRequests)
        let counts = [
          ("apps", 6), ("items", 7), ("devices", 11), ("devicesMax", 2000), ("found", 4), ("reports", 1),
          ("events", 12), ("connections", 1), ("connectionsMax", 64), ("watchers", 0),
          ("accessoriesConnected", 1), ("requests", openRequests.count), ("reloads", 2),
          ("reloadsRefused", 1),
        ]
        for (name, count) in counts { json.member(name, count) }
      })
  }
}
