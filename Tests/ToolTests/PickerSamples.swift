// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import ToolText
import Varlink

/// What waits before the stand-in for the agent.
enum PickerSamples {
  static let request = String(repeating: "1", count: 32)
  static let other = String(repeating: "2", count: 32)
  static let accessory = String(repeating: "a", count: 32)

  static func setup(
    _ request: String = request, phase: RequestLine.Phase = .choosing, isOnBehalf: Bool = false,
    rename: Bool = true
  ) -> RequestLine {
    RequestLine(
      request: request, kind: .setup, app: "lights", isOnBehalf: isOnBehalf, since: Seconds(microseconds: 1),
      end: nil, phase: phase, items: [RequestItemLine(item: "bulb", name: "Lumo bulb", asksForName: rename)],
      remaining: 1)
  }

  static let rename = RequestLine(
    request: other, kind: .rename, app: "kitchen", since: Seconds(microseconds: 2), end: nil,
    phase: .answering,
    accessory: accessory, displayName: "Stove")

  static func candidate(_ number: UInt32, level: Int8, name: String = "Lumo E27") -> CandidateLine {
    CandidateLine(
      candidate: number, itemIndex: 0, name: "Lumo bulb", deviceName: AirText(Array(name.utf8)),
      address: DeviceAddress(bits: 0xC4A1_0000_1E00 + UInt64(number), type: .random), rssi: level,
      filteredRSSI: level, silence: Seconds(microseconds: 0), isIdentityDurable: true, isShared: false)
  }

  static let waiting: [PickerReply] = [
    .request(setup()), .candidate(candidate(1, level: -44), of: request),
    .candidate(candidate(2, level: -60, name: "灯泡 \u{1B}[31m"), of: request),
  ]

  // MARK: Answers

  static let chosen = Message.reply { json in
    json.member("accessory", accessory)
    json.member("displayName", "Desk")
    json.member("awaitsApp", false)
    json.member("finishesInApp", true)
  }
  static let empty = Message.reply()
  static let opened = Message.reply(continues: true) { $0.member("request", request) }

  static func setUp(_ name: String = "Desk", continues: Bool = true) -> [UInt8] {
    Message.reply(continues: continues) { json in
      json.member("accessory", accessory)
      json.member("displayName", name)
    }
  }

  /// Answers to List: the accessory that was set up, and the same device as other apps have it.
  static func list(_ others: String..., pairingNote: String? = nil) -> [[UInt8]] {
    let steps =
      [Replies.accessory(accessory, "Lumo bulb", pairingNote: pairingNote)]
      + others.map { Replies.accessory(Replies.shared, "Lumo bulb", app: $0) } + [.send(Message.reply())]
    return steps.compactMap { if case .send(let message) = $0 { message } else { nil } }
  }

  static func failure(_ error: String, _ parameters: [(String, String)]) -> [UInt8] {
    Message.error("io.accessoryd.Operator." + error) { json in
      for (name, value) in parameters { json.member(name, value) }
    }
  }

  static let setupFailed = failure(
    "SetupFailed",
    [
      ("failure", "discoveryTimeout"), ("reason", "nothing that matches was found"),
      ("cure", "bring it near"),
    ])
}
