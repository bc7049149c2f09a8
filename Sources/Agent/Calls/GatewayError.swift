// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Varlink

/// The errors of ``GatewayInterface``.
enum GatewayError: Error, Equatable {
  case deviceNotInSight(String)
  case itemNotFound(String, candidates: [String])
  case itemAmbiguous(String, candidates: [String])
  case manifestRefused(findings: [String])
  case busy(limit: Int)
  case tooManyConnections(isOfUser: Bool, limit: Int)
  case messageRefused(String, limit: Int?)
  /// An error of every service.
  case invalidParameter(String)
}

extension GatewayError {
  /// Lines of findings, and items, in one reply.
  private static let listedMax = 50
  private static let lineCharactersMax = 400

  private var name: GatewayErrorName {
    switch self {
    case .deviceNotInSight: .deviceNotInSight
    case .itemNotFound: .itemNotFound
    case .itemAmbiguous: .itemAmbiguous
    case .manifestRefused: .manifestRefused
    case .busy: .busy
    case .tooManyConnections: .tooManyConnections
    case .messageRefused: .messageRefused
    case .invalidParameter: preconditionFailure("it is an error of org.varlink.service")
    }
  }

  /// The message that refuses a call.
  var message: [UInt8] {
    if case .invalidParameter(let parameter) = self {
      return Message.error(ServiceError.invalidParameter(parameter))
    }
    return Message.error(name.rawValue) { json in
      switch self {
      case .invalidParameter: break
      case .deviceNotInSight(let device): json.member("device", Self.cut(device))
      case .itemNotFound(let item, let candidates), .itemAmbiguous(let item, let candidates):
        json.member("item", Self.cut(item))
        json.member("items", candidates.prefix(Self.listedMax).map(Self.cut))
      case .manifestRefused(let findings):
        ManifestRefusedLine(
          findings: findings.prefix(Self.listedMax).map(Self.cut),
          omitted: max(0, findings.count - Self.listedMax)
        ).writeMembers(to: &json)
      case .busy(let limit): json.member("limit", limit)
      case .tooManyConnections(let isOfUser, let limit):
        json.member("of", isOfUser ? "user" : "all")
        json.member("limit", limit)
      case .messageRefused(let reason, let limit):
        json.member("reason", reason)
        if let limit { json.member("limit", limit) }
      }
    }
  }

  /// The error that a client receives before its connection is closed; nil for a client that has finished.
  static func closingError(_ reason: ServerConnection.CloseReason) -> [UInt8]? {
    let limits = ConnectionLimits()
    let error: Self? =
      switch reason {
      case .finished: nil
      case .frame(.oversized): .messageRefused("oversized", limit: limits.frameBytesMax)
      case .frame(.truncated): .messageRefused("truncated", limit: nil)
      case .call(.json(let problem)): refusal(of: problem.kind, limits.json)
      case .call(.notAnObject): .messageRefused("notAnObject", limit: nil)
      case .overdue: .messageRefused("unfinished", limit: Int(AgentCore.patienceMilliseconds / 1000))
      case .replyTooLong: .messageRefused("replyTooLong", limit: limits.replyBytesMax)
      }
    return error?.message
  }

  /// JSON that exceeds a limit of this program is still JSON.
  private static func refusal(of kind: JSONError.Kind, _ limits: JSONLimits) -> Self {
    switch kind {
    case .tooDeep: .messageRefused("tooDeep", limit: limits.depthMax)
    case .tooManyValues: .messageRefused("tooManyValues", limit: limits.valueCountMax)
    case .numberOutOfRange: .messageRefused("numberOutOfRange", limit: nil)
    case .duplicateName: .messageRefused("duplicateName", limit: nil)
    case .endOfText, .unexpectedByte, .bareControl, .badEscape, .loneSurrogate, .notUTF8, .badNumber,
      .trailing:
      .messageRefused("notJSON", limit: nil)
    }
  }

  static func cut(_ text: String) -> String { String(text.unicodeScalars.prefix(lineCharactersMax)) }
}
