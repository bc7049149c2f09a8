// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Varlink

/// The methods of ``GatewayInterface``.
enum GatewayMethod: String, ServedMethod {
  case status = "io.accessoryd.Gateway.Status"
  case metrics = "io.accessoryd.Gateway.Metrics"
  case sightings = "io.accessoryd.Gateway.Sightings"
  case watch = "io.accessoryd.Gateway.Watch"
  case explain = "io.accessoryd.Gateway.Explain"
  case `try` = "io.accessoryd.Gateway.Try"
  case suggest = "io.accessoryd.Gateway.Suggest"
  case capture = "io.accessoryd.Gateway.Capture"
  case reload = "io.accessoryd.Gateway.Reload"

  var replies: ReplyCount {
    switch self {
    case .status, .metrics, .reload: .one
    case .sightings, .watch, .explain, .try, .suggest, .capture: .many
    }
  }
}

/// The errors of ``GatewayInterface``.
enum GatewayError: Error, Equatable {
  case deviceNotInSight(String)
  case itemNotFound(String, candidates: [String])
  case itemAmbiguous(String, candidates: [String])
  case notRecognisable(String)
  case manifestRefused(findings: [String])
  case busy(limit: Int)
  case messageRefused(String, limit: Int?)
}

extension GatewayError {
  /// Lines of findings, and items, in one reply.
  private static let listedMax = 50
  private static let lineCharactersMax = 400

  private var name: String {
    let member =
      switch self {
      case .deviceNotInSight: "DeviceNotInSight"
      case .itemNotFound: "ItemNotFound"
      case .itemAmbiguous: "ItemAmbiguous"
      case .notRecognisable: "NotRecognisable"
      case .manifestRefused: "ManifestRefused"
      case .busy: "Busy"
      case .messageRefused: "MessageRefused"
      }
    return "\(GatewayInterface.name).\(member)"
  }

  /// The message that refuses a call.
  var message: [UInt8] {
    Message.error(name) { json in
      switch self {
      case .deviceNotInSight(let device), .notRecognisable(let device):
        json.member("device", Self.cut(device))
      case .itemNotFound(let item, let candidates), .itemAmbiguous(let item, let candidates):
        json.member("item", Self.cut(item))
        json.member("items", candidates.prefix(Self.listedMax).map(Self.cut))
      case .manifestRefused(let findings):
        json.member("findings", findings.prefix(Self.listedMax).map(Self.cut))
        json.member("omitted", max(0, findings.count - Self.listedMax))
      case .busy(let limit): json.member("limit", limit)
      case .messageRefused(let reason, let limit):
        json.member("reason", reason)
        if let limit { json.member("limit", limit) }
      }
    }
  }

  /// What a client is told before it is closed; nothing when it said that it was done.
  static func closingError(_ reason: ServerConnection.CloseReason) -> [UInt8]? {
    let limits = ConnectionLimits()
    let error: Self? =
      switch reason {
      case .finished: nil
      case .frame(.oversized): .messageRefused("oversized", limit: limits.frameBytesMax)
      case .frame(.truncated): .messageRefused("cut", limit: nil)
      case .call(.json(let problem)) where problem.kind == .tooDeep:
        .messageRefused("tooDeep", limit: limits.json.depthMax)
      case .call(.json): .messageRefused("notJSON", limit: nil)
      case .call(.notAnObject): .messageRefused("notAnObject", limit: nil)
      case .overdue: .messageRefused("unfinished", limit: Int(AgentCore.patienceMilliseconds / 1000))
      case .replyTooLong: .messageRefused("replyTooLong", limit: limits.replyBytesMax)
      }
    return error?.message
  }

  static func cut(_ text: String) -> String { String(text.unicodeScalars.prefix(lineCharactersMax)) }
}
