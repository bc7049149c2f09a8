// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import WebPage

extension PageServer.Notice {
  var level: BridgeLog.Level {
    switch self {
    case .agentIsThere, .loggedIn, .loggedOut: .info
    case .changed(_, _, let failure): failure == nil ? .notice : .warning
    case .agentIsAway, .wrongCode: .warning
    }
  }

  var sentence: String {
    switch self {
    case .agentIsThere: "the agent replies"
    case .agentIsAway(let reason): "the agent is away: \(reason)"
    case .loggedIn(let name, let role): "\(name) has logged in, as \(role.rawValue)"
    case .loggedOut(let name): "\(name) is logged out"
    case .wrongCode(let isPaused):
      isPaused
        ? "too many wrong codes: none is taken for a minute" : "a browser came with a code that is not good"
    case .changed(let name, let what, let failure):
      failure.map { "\(name): \(what) failed: \($0)" } ?? "\(name): \(what)"
    }
  }
}
