// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Controller
import HCI
import Manifest

// What scenarios start an agent with.

extension BoardProfile {
  /// Scans all the time, so that few devices are enough for a test.
  static var attentive: Self {
    var board = Self(name: "bench")
    board.low = ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 60)
    return board
  }
}

extension AccessList {
  /// Root; user 1000 is the app "lights", and group 50 is that of operators.
  static var operators: Self {
    var access = AccessList(operatorUsers: [0], operatorGroups: [50], overflowUser: 65_534)
    access.appsOfUser[1000] = ["lights"]
    return access
  }
}

extension MgmtEvent {
  /// Whether only the socket that sent the command receives it.
  var isReply: Bool { if case .completed = content { true } else { false } }
}
