// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Varlink

/// An error of ``GatewayInterface``, with the message that refuses a call.
struct GatewayError: Error, Equatable {
  let message: [UInt8]
}

extension GatewayError {
  private init(_ name: GatewayErrorName, _ parameters: (inout JSONWriter) -> Void) {
    message = Message.error(name.rawValue, parameters)
  }

  /// An error of every service.
  static func invalidParameter(_ parameter: String) -> Self {
    Self(message: Message.error(ServiceError.invalidParameter(parameter)))
  }

  /// Lines of findings, and items, in one reply.
  private static let listedMax = 50
  private static let lineCharactersMax = 400

  static func deviceNotInSight(_ device: String) -> Self {
    Self(.deviceNotInSight) { $0.member("device", cut(device)) }
  }
  static func itemNotFound(_ item: String, candidates: [String]) -> Self {
    unclear(.itemNotFound, item, candidates)
  }
  static func itemAmbiguous(_ item: String, candidates: [String]) -> Self {
    unclear(.itemAmbiguous, item, candidates)
  }
  private static func unclear(_ name: GatewayErrorName, _ item: String, _ candidates: [String]) -> Self {
    Self(name) { json in
      json.member("item", cut(item))
      json.member("items", candidates.prefix(listedMax).map(cut))
    }
  }
  static func manifestRefused(findings: [String]) -> Self {
    let line = ManifestRefusedLine(
      findings: findings.prefix(listedMax).map(cut), omitted: max(0, findings.count - listedMax))
    return Self(.manifestRefused) { line.writeMembers(to: &$0) }
  }
  static func socketMissing(_ reason: String) -> Self { Self(.socketMissing) { $0.member("reason", reason) } }
  static func forwardsLess(_ forward: ReportForward) -> Self {
    Self(
      message: Message.error(
        ServiceError.permissionDenied(
          reason: "the manifest forwards \(forward.rawValue) to this bridge, and no more",
          cure: "leave `forward` out of the call, or widen `forward` in the bridge's section")))
  }
  static func busy(limit: Int) -> Self { Self(.busy) { $0.member("limit", limit) } }
  static func tooManyConnections(isOfUser: Bool, limit: Int) -> Self {
    Self(.tooManyConnections) { json in
      json.member("of", isOfUser ? "user" : "all")
      json.member("limit", limit)
    }
  }
  static func messageRefused(_ reason: String, limit: Int?) -> Self {
    Self(.messageRefused) { json in
      json.member("reason", reason)
      if let limit { json.member("limit", limit) }
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

  /// At most as many characters of a text as a line has: it may be a client's.
  static func cut(_ text: String) -> String { String(text.unicodeScalars.prefix(lineCharactersMax)) }
}
