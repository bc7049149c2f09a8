// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import JSON
import Varlink
import VarlinkClient

/// Why a request of the app failed: `ASError` with its texts.
public struct SessionError: Error, Equatable, Sendable {
  public typealias Code = SetupErrorCode

  public var code: Code
  /// The parameter with the error.
  public var field: String?
  public var reason: String
  public var cure: String

  public init(_ code: Code, field: String? = nil, _ reason: String, cure: String) {
    self.code = code
    self.field = field
    self.reason = reason
    self.cure = cure
  }

  /// An error that the agent reports. A code that is no case, or means success, becomes `unknown`.
  public init(_ failure: FailureLine) {
    self.init(
      SessionErrorLine(
        code: failure.code, field: failure.field, reason: failure.reason, cure: failure.cure))
  }

  private init(_ failure: SessionErrorLine) {
    let code = Code(rawValue: failure.code).flatMap { $0 == .success ? nil : $0 }
    self.init(code ?? .unknown, field: failure.field, failure.reason, cure: failure.cure)
  }
}

extension SessionError {
  static let invalidated = SessionError(
    .invalidated, "the session was invalidated", cure: "create a new ASAccessorySession and activate it")
  static let notActivated = SessionError(
    .invalidRequest, "the session is not activated", cure: "call activate(on:eventHandler:) first")
  static let notAccepted = SessionError(
    .activationFailed, "the agent closed three connections before its first reply",
    cure:
      "see whether the socket is the agent's, name this program's account in [app.NAME] user of the manifest, and read "
      + "the agent's log")
  static let cancelled = SessionError(
    .userCancelled, "the app cancelled the call", cure: "make the call again when it is wanted")
  static let sessionLost = SessionError(
    .connectionFailed, "the agent was restarted, or could not be reached for more than 10 s",
    cure: "try again")
  static let noConnection = SessionError(
    .unknown, "the agent replied without a connection", cure: "use an agent of this library's version")
  public static let otherReply = SessionError(
    .unknown, "the agent replied with something else", cure: "use an agent of this library's version")
  static let noDescriptor = SessionError(
    .connectionFailed, "this program has no file descriptor free",
    cure: "close what it does not need, or raise LimitNOFILE of its unit, and try again")

  static let silent = SessionError(
    .connectionFailed, "the agent has not replied yet", cure: "check with accessoryctl status how it is")
  static let busy = SessionError(
    .connectionFailed, "the app's other calls took more than 30 s", cure: "make fewer calls at a time")
  static let eventsMissed = SessionError(
    .connectionFailed, "the app did not read its events in time", cure: "let handlers return soon")

  static func unreachable(_ reason: String?, cure: String? = nil) -> SessionError {
    SessionError(
      .connectionFailed, reason ?? "the agent closed the connection",
      cure: cure ?? "check that accessoryd runs, and try again")
  }

  static func late(_ method: String) -> SessionError {
    SessionError(.connectionFailed, "the agent did not reply to \(method) in time", cure: "try again")
  }

  static func eventIsLate(_ method: String) -> SessionError {
    SessionError(
      .connectionFailed, "the agent has done what \(method) asks, but its event did not come within 30 s",
      cure: "wait for the event, which comes when the agent can be reached")
  }

  static let tooLong = SessionError(
    .invalidRequest, "the call takes more than \(ClientLimits().callBytesMax >> 10) KiB",
    cure: "use fewer items, or shorter names")

  /// What an error reply means.
  init(reply: ReceivedReply) {
    let reader = JSONObjectReader(reply.parameters)
    let reason = (try? reader.stringIfPresent("reason")) ?? nil
    let cure = (try? reader.stringIfPresent("cure")) ?? nil
    let name = reply.error ?? ""
    switch name {
    case ServiceError.invalidParameter("").name:
      let parameter = (try? reader.stringIfPresent("parameter")) ?? nil
      self.init(
        .invalidRequest, field: parameter, "the agent does not accept \(parameter ?? "a parameter")",
        cure: "leave it out, or use an agent of this library's version")
    case ServiceError.permissionDenied().name:
      self.init(
        .activationFailed, reason ?? "this account belongs to no app of the manifest",
        cure: cure ?? Self.notAccepted.cure)
    case ServiceError.interfaceNotFound("").name:
      self.init(
        .unknown, "the socket is that of another service, and not of accessoryd",
        cure: "give the path of the agent's socket in ACCESSORYD_SOCKET")
    case ServiceError.methodNotFound("").name, ServiceError.methodNotImplemented("").name:
      self.init(
        .unknown, "the agent is older than this library",
        cure: "install the agent of the version that the app was built with")
    case GatewayErrorName.tooManyConnections.rawValue:
      let isOfUser = (try? reader.stringIfPresent("of")) != "all"
      let limit: Int? = (try? reader.integerIfPresent("limit")) ?? nil
      self.init(
        .connectionFailed,
        "\(isOfUser ? "this account has" : "the agent has") all of its \(limit.map { "\($0) " } ?? "")connections",
        cure: "use fewer sessions, and fewer programs of this account")
    default:
      if let failure = try? SessionErrorLine(reading: reader), SessionErrorName(rawValue: name) != nil {
        self.init(failure)
      } else {
        self.init(.unknown, reason ?? "the agent replied with \(name)", cure: cure ?? "read the agent's log")
      }
    }
  }
}
