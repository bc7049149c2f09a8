// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Registry
import Setup
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

/// The errors of ``OperatorInterface``. A failure that an app gets too is an error of ``SessionInterface``.
extension OperatorError {
  /// Candidates in one reply, and characters of each: as many as an id has.
  private static let listedMax = 32
  private static let candidateCharactersMax = 64

  /// The message that refuses a call.
  var message: [UInt8] {
    switch self {
    case .failure(let failure): failure.message
    case .requestClosed(let request):
      Self.message(.requestClosed) { $0.member("request", GatewayError.cut(request)) }
    case .busy(let request): Self.message(.busy) { $0.member("request", request.text) }
    case .notDisconnected(let accessory, let reason):
      Self.message(.notDisconnected) { json in
        json.member("accessory", accessory.text)
        json.member("reason", reason.rawValue)
      }
    case .notFound(let kind, let name, let candidates):
      Self.message(.notFound) { json in
        json.member("kind", kind.rawValue)
        json.member("name", GatewayError.cut(name))
        json.member("candidates", candidates.prefix(Self.listedMax).map(Self.cutCandidate))
      }
    case .invalid(let field, let reason):
      Self.message(.invalid) { json in
        json.member("field", GatewayError.cut(field))
        json.member("reason", GatewayError.cut(reason))
      }
    case .setupFailed(let failure):
      Self.message(.setupFailed) { json in
        json.member("failure", failure.code.name)
        json.member("reason", GatewayError.cut(failure.reason))
        json.member("cure", GatewayError.cut(failure.cure))
      }
    case .registry(let sentence):
      Self.message(.registryUnavailable) { $0.member("sentence", GatewayError.cut(sentence)) }
    }
  }

  private static func message(
    _ name: OperatorErrorName, _ parameters: (inout JSONWriter) -> Void
  ) -> [UInt8] { Message.error(name.rawValue, parameters) }

  private static func cutCandidate(_ text: String) -> String {
    String(text.unicodeScalars.prefix(candidateCharactersMax))
  }
}
