// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import Pairing

/// Pairings so far. Counters only grow.
struct PairingCounters: Equatable, Sendable {
  var results: [PairingResult: UInt64] = [:]
  var foreignAttemptsRefused: UInt64 = 0
  var bondsLost: UInt64 = 0
  /// The commands that the kernel rejected.
  var rejections: [MgmtOpcode: UInt64] = [:]

  static let keyLists: [MgmtOpcode] = [.loadIdentityKeys, .loadLongTermKeys, .loadLinkKeys]
  static let settings: [(name: String, opcode: MgmtOpcode)] = [
    ("bondable", .setBondable), ("debugKeys", .setDebugKeys), ("secureConnections", .setSecureConnections),
    ("secureSimplePairing", .setSecureSimplePairing),
  ]
}

extension AgentCore {
  /// Pairings and bonds.
  var pairingMetrics: [Metric] {
    let counted = pairing.counters
    return [
      Metric(
        "pairings_total", .counter, "Pairings that have ended, by result.", "result",
        PairingResult.allCases.map { ($0.rawValue, counted.results[$0] ?? 0) }),
      Metric(
        "pairings_foreign_refused_total", .counter, "Pairings that the agent did not begin, and refused.",
        counted.foreignAttemptsRefused),
      Metric(
        "bonds_lost_total", .counter, "Bonds that a device or a program has removed.", counted.bondsLost),
      Metric(
        "key_lists_rejected_total", .counter, "Lists of keys that the kernel rejected.",
        PairingCounters.keyLists.reduce(0) { $0 + (counted.rejections[$1] ?? 0) }),
      Metric(
        "pairing_settings_rejected_total", .counter, "Settings for pairings that the kernel rejected.",
        "setting", PairingCounters.settings.map { ($0.name, counted.rejections[$0.opcode] ?? 0) }),
      Metric(
        "bluetoothd_messages_total", .counter,
        "Messages over the system bus that were not used, by reason.", "reason",
        [
          ("malformed", pairing.bluetoothd.counters.malformed),
          ("foreignQuestion", pairing.bluetoothd.counters.foreignQuestions),
          ("objectsFull", pairing.bluetoothd.counters.objectsTurnedAway),
          ("queueFull", counters.loop.busMessagesDropped),
        ]),
    ]
  }
}
