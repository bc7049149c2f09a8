// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import Setup
import Varlink

/// A method of one of the agent's interfaces: its parameters, its reply, and its stream of replies if it has one.
///
/// The type is listed in ``AgentMethod/implementations``; no value of it is ever made.
protocol Method: SendableMetatype {
  associatedtype Failure: MethodError

  associatedtype Name: ServedMethod

  static var name: Name { get }
  /// Whether the call goes on until its client or an operator ends it, so that it takes a connection for long.
  static var lastsUntilClosed: Bool { get }
  /// When a bridge may call it, of the methods that only operators may call otherwise.
  static var bridgeRight: BridgeRight { get }
  /// The error for a disk that does not answer in time; nil for a method that needs no registry.
  static var diskTimeout: Failure? { get }

  /// Starts the call: replies at once, or returns the stream that will.
  static func start(_ call: MethodCall) throws(Failure) -> CallOutcome
}

extension Method {
  /// The whole name, as in the interface's description.
  static var wholeName: String { name.rawValue }
  static var replies: ReplyCount { name.replies }
  static var lastsUntilClosed: Bool { false }
  static var bridgeRight: BridgeRight { .never }

  static var diskTimeoutMessage: [UInt8]? { diskTimeout?.message }

  /// Starts the call. An error becomes the message that says so.
  static func outcome(of call: MethodCall) -> CallOutcome {
    do throws(Failure) {
      return try start(call)
    } catch {
      return .refusal(error.message)
    }
  }
}

/// When a bridge may call a method of the operators.
enum BridgeRight {
  case never, always
  /// When its table in the manifest has this in `may`.
  case with(Bridge.Right)
}

/// A method of `io.accessoryd.Gateway`. None of them needs the registry.
protocol GatewayMethod: Method where Failure == GatewayError, Name == GatewayMethodName {}

extension GatewayMethod {
  static var diskTimeout: GatewayError? { nil }
}

/// A method of `io.accessoryd.Session`.
protocol SessionMethod: Method where Failure == SetupError, Name == SessionMethodName {}

extension SessionMethod {
  static var diskTimeout: SetupError? {
    SetupError(
      .unknown, Patience.diskTimeoutSentence,
      cure: "call List to see whether it took effect, and ask the gateway's operator")
  }
}

/// A method of `io.accessoryd.Operator`.
protocol OperatorMethod: Method where Failure == OperatorError, Name == OperatorMethodName {}

extension OperatorMethod {
  static var diskTimeout: OperatorError? { .registry(Patience.diskTimeoutSentence) }
}

/// An error that a call is answered with.
protocol MethodError: Error {
  /// The last reply to the call.
  var message: [UInt8] { get }
}

extension GatewayError: MethodError {}
extension SetupError: MethodError {}
extension OperatorError: MethodError {}

/// What a method does about a call.
enum CallOutcome {
  /// Sends the only reply.
  case reply([UInt8])
  /// Sends the replies of a stream.
  case stream(any ReplyStream)
  /// Sends an error.
  case refusal([UInt8])

  /// Sends the only reply, which says nothing but that it was done.
  static var done: Self { .reply(Message.reply()) }
}

/// One call of a method: who calls, and with which parameters.
struct MethodCall {
  let agent: AgentCore
  let client: Client
  let parameters: Parameters
}
