// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink

/// Why the agent cannot be asked, or did not answer as it should.
enum GatewayProblem: Error, Equatable {
  case connecting(SystemError)
  case system(SystemError)
  /// It closed the connection, before it had answered anything or later.
  case ended(hasAnswered: Bool)
  case stream(ClientError)
  /// It answered nothing for so many seconds.
  case silent(seconds: Int)
  /// It answered with an error, by its whole name.
  case refused(ReceivedReply)
  case line(JSONMemberError)
  /// The call is longer than calls may be.
  case callTooLong

  /// Whether the agent may be back soon: it is being started anew, say.
  var isPassing: Bool {
    switch self {
    case .connecting(let error): error.isMissing || error.isRefused || error.isFull
    case .system(let error): error.isGone
    case .ended, .stream(.frame(.truncated)), .silent: true
    case .stream, .refused, .line, .callTooLong: false
    }
  }
}

extension GatewayProblem {
  /// The one place where the agent's errors become sentences.
  func failure(at path: String) -> Failure {
    switch self {
    case .connecting(let error): Self.connecting(error, path)
    case .system(let error):
      error.isGone
        ? Self.closed(path, hasAnswered: true)
        : .sentence("\(error.reason) (\(error.call.rawValue))", .systemError)
    case .ended(let hasAnswered): Self.closed(path, hasAnswered: hasAnswered)
    case .stream(.frame(.truncated)), .stream(.ended): Self.closed(path, hasAnswered: true)
    case .stream, .line:
      .sentence(
        "what answers at \(quoted(path)) is no accessoryd that this tool understands\(detail); "
          + "use tool and agent of one version", .protocolError)
    case .silent(let seconds):
      .sentence(
        "the agent at \(quoted(path)) did not answer within \(seconds) s; "
          + "journalctl -u accessoryd may say why", .unavailable)
    case .refused(let reply): Self.refused(reply)
    case .callTooLong: .sentence("what you ask is too long for the agent; ask less", .usage)
    }
  }

  private var detail: String {
    switch self {
    case .line(let problem): " (\(shown(problem.path)))"
    case .connecting, .system, .ended, .stream, .silent, .refused, .callTooLong: ""
    }
  }

  private static func connecting(_ error: SystemError, _ path: String) -> Failure {
    if error.isMissing {
      return .sentence(
        "no agent is there: \(quoted(path)) does not exist; start it (systemctl start accessoryd), "
          + "or name its socket with --socket", .unavailable)
    }
    if error.isRefused {
      return .sentence(
        "no agent listens at \(quoted(path)) any more; start it (systemctl start accessoryd)", .unavailable)
    }
    if error.isFull { return .sentence("the agent at \(quoted(path)) is busy; try again", .temporaryFailure) }
    if error.isPermission {
      return .sentence(
        "you may not open \(quoted(path)): its mode, or that of a folder above it, forbids it", .noPermission)
    }
    return .sentence(
      "cannot connect to \(quoted(path)): \(error.reason); name the agent's socket with --socket",
      .unavailable)
  }

  /// Strangers, and clients beyond the number it takes, are turned away without a word.
  private static func closed(_ path: String, hasAnswered: Bool) -> Failure {
    if hasAnswered {
      return .sentence(
        "the agent at \(quoted(path)) closed the connection: it ended, or starts anew", .unavailable)
    }
    if Accounts.isRoot || Accounts.isMember(ofGroup: "accessory") {
      return .sentence(
        "the agent at \(quoted(path)) closed the connection at once: it has as many clients as it takes; "
          + "try again", .temporaryFailure)
    }
    return permission
  }

  static var permission: Failure {
    .sentence(
      "you may not ask the agent: root may, and members of the group accessory "
        + "(sudo usermod -aG accessory NAME, then log in anew)", .noPermission)
  }
}
