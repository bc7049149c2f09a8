// SPDX-License-Identifier: GPL-3.0-or-later

/// What the loop did, beside what the agent counts. Counters only grow.
struct LoopCounters: Equatable {
  var turns: UInt64 = 0
  /// Turns that read the radio, and packets that came of it.
  var drains: UInt64 = 0
  var packets: UInt64 = 0
  /// Reads from and writes to clients.
  var clientCalls: UInt64 = 0
  /// Changes of what is watched, and of the alarm.
  var watchCalls: UInt64 = 0
  /// How often no descriptor was free for somebody who connects.
  var exhaustions: UInt64 = 0

  var sentence: String {
    "the loop turned \(turns) times, read the radio in \(drains) of them for \(packets) packets, made \(clientCalls) "
      + "calls for clients and \(watchCalls) to watch, and was out of descriptors \(exhaustions) times"
  }
}
