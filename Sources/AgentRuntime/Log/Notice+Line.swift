// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Manifest
import Varlink

/// Kinds of lines that a stranger can cause: one a minute is said of each.
enum StrangerKind: Hashable, CaseIterable, Sendable {
  case strangers, full, userFull, longMessages, cutMessages, noJSON, longReplies, overdue, registryFailures
  case touchProgram, foreign, disclosed, resolved, automaticFailed
}

extension Notice {
  /// Which limit holds for it; nil for what only the machine and its operators cause.
  var strangerKind: StrangerKind? {
    switch self {
    case .radio, .initializationFailed, .radioRecovery, .radioGivenUp, .reloaded, .reloadRefused: nil
    case .setup(let notice): notice.strangerKind
    case .turnedAway(.stranger, _): .strangers
    case .turnedAway(.full, _): .full
    case .turnedAway(.userFull, _): .userFull
    case .closed(.overdue, _): .overdue
    case .closed(.frame(.oversized), _): .longMessages
    case .closed(.frame(.truncated), _): .cutMessages
    case .closed(.call, _): .noJSON
    case .closed(.replyTooLong, _): .longReplies
    }
  }

  var level: LogLevel {
    switch self {
    case .radio(.on, _, _), .radio(.off, _, _), .radio(.recovering, before: .absent, _): .info
    case .radio, .initializationFailed, .radioRecovery, .radioGivenUp: .warning
    case .turnedAway, .closed: .notice
    case .reloaded: .notice
    case .setup(let notice): notice.level
    case .reloadRefused: .error
    }
  }

  /// What happened.
  var sentence: String {
    switch self {
    case .radio(let state, _, let detail): "radio \(state.rawValue): \(detail)"
    case .initializationFailed(let reason, let milliseconds):
      "the radio did not come up: \(reason.sentence); it is tried again in \(Self.seconds(milliseconds))"
    case .radioRecovery(let action, let reason): "\(reason.sentence); \(action.sentence)"
    case .radioGivenUp: "the radio has been away too long: every device that was found counts as lost"
    case .turnedAway(let refusal, let user): "a program of user \(user) was turned away: \(refusal.sentence)"
    case .closed(let reason, let user): "a connection of user \(user) was closed: \(reason.sentence)"
    case .reloaded(let summary, let warnings):
      "the manifest was read again; items kept: \(summary.itemsKept), added: \(summary.itemsAdded), "
        + "removed: \(summary.itemsRemoved)"
        + (warnings == 0 ? "" : "; warnings: \(warnings), which the lines above name")
    case .setup(let notice): notice.sentence
    case .reloadRefused(let findings):
      "the manifest was not taken, and the one before stays in force: it is wrong in "
        + (findings == 1 ? "one place" : "\(findings) places") + ", which the lines above name"
    }
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}

extension AdmissionRefusal {
  fileprivate var sentence: String {
    switch self {
    case .stranger: "it is neither an operator nor an app of the manifest"
    case .full: "all connections are taken"
    case .userFull: "the user has as many connections as one may have"
    }
  }
}

extension ClosingReason {
  fileprivate var sentence: String {
    switch self {
    case .frame(.oversized(let byteCount)): "\(byteCount) bytes came without the end of a message"
    case .frame(.truncated(let byteCount)): "it ended \(byteCount) bytes into a message"
    case .call(.json(let problem)) where problem.kind == .tooDeep: "a message was nested too deep"
    case .call(.json(let problem)) where problem.kind == .duplicateName: "a message had a member twice"
    case .call(.json): "a message was no JSON"
    case .call(.notAnObject): "a message was no JSON object"
    case .overdue: "a message was not finished, or replies were not read, in 30 s"
    case .replyTooLong(let byteCount): "a reply had \(byteCount) bytes, more than one may have"
    }
  }
}
