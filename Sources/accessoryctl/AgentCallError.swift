// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import ToolSystem
import ToolText
import Varlink
import VarlinkClient

/// Why a call to the agent failed.
enum AgentCallError: Error, Equatable {
  /// When the agent closed a connection: less than a second after it was made, later but before its first reply, or after
  /// that.
  enum Ending { case atOnce, beforeReply, afterReply }

  case connecting(SystemError)
  case system(SystemError)
  /// The agent closed the connection.
  case ended(Ending)
  case stream(ClientError)
  /// The agent did not reply for this many seconds.
  case silent(seconds: Int)
  /// The agent replied with an error.
  case refused(ReceivedReply)
  case line(JSONMemberError)
  /// The call is longer than the agent accepts.
  case callTooLong
  /// A list has more replies or bytes than the agent has anything to list.
  case listTooLong

  /// Whether the agent may be back soon, for example after a restart.
  var isPassing: Bool {
    switch self {
    case .connecting(let error): error.isMissing || error.isRefused || error.isFull
    case .system(let error): error.isGone
    case .ended, .stream(.frame(.truncated)), .silent: true
    case .stream, .refused, .line, .callTooLong, .listTooLong: false
    }
  }
}

extension AgentCallError {
  /// The sentence for the operator. Every error of the agent becomes one here.
  func toolError(at path: String) -> ToolError {
    switch self {
    case .connecting(let error): Self.connecting(error, path)
    case .system(let error):
      error.isGone
        ? Self.closed(path, .afterReply)
        : .sentence("\(error.reason) (\(error.call.rawValue))", .systemError)
    case .ended(let ending): Self.closed(path, ending)
    case .stream(.frame(.truncated)), .stream(.ended): Self.closed(path, .afterReply)
    case .stream, .line:
      .sentence(
        "the program at \(quoted(path)) is no accessoryd that this tool understands\(detail); "
          + "use the tool and the agent of one version", .protocolError)
    case .silent(let seconds):
      .sentence(
        "the agent at \(quoted(path)) did not answer within \(seconds) s; "
          + "journalctl -u accessoryd may say why", .unavailable)
    case .refused(let reply): Self.refused(reply)
    case .callTooLong: .sentence("the call is too long for the agent; shorten the arguments", .usage)
    case .listTooLong:
      .sentence(
        "the agent's list does not end, so the rest was left; is another program at the socket?",
        .protocolError)
    }
  }

  private var detail: String {
    switch self {
    case .line(let error): " (\(shown(error.path)))"
    case .connecting, .system, .ended, .stream, .silent, .refused, .callTooLong, .listTooLong: ""
    }
  }

  private static func connecting(_ error: SystemError, _ path: String) -> ToolError {
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

  /// The agent closes the connection of an unknown account, or of a client beyond its limit, without a reply.
  private static func closed(_ path: String, _ ending: Ending) -> ToolError {
    if ending != .atOnce {
      let more = ending == .beforeReply ? "; a change that it was asked for may still be made" : ""
      return .sentence(
        "the agent at \(quoted(path)) closed the connection: it ended, or is restarting\(more)", .unavailable)
    }
    if Accounts.isRoot || Accounts.isMember(ofGroup: "accessory") {
      return .sentence(
        "the agent at \(quoted(path)) closed the connection at once: it has no room for another client; "
          + "try again", .temporaryFailure)
    }
    return permission
  }

  static var permission: ToolError {
    .sentence(
      "you may not ask the agent: root may, and members of the group accessory "
        + "(sudo usermod -aG accessory NAME, then log in again)", .noPermission)
  }
}
