// SPDX-License-Identifier: GPL-3.0-or-later

import Setup
import Varlink

/// One call of a method: who calls, and with which parameters.
struct MethodCall {
  let method: AgentMethod
  let client: Client
  let parameters: Parameters
  /// The name under which ``AgentCore/complete(_:_:)`` ends it, if it is decided later.
  let id: CallID
}

/// What the agent does about a call.
enum CallOutcome {
  /// Sends the only reply.
  case reply([UInt8])
  /// Sends the first reply, if there is one at once, and then those of a stream.
  case stream(any ReplyStream, first: [UInt8]? = nil)
  /// Sends an error.
  case refusal([UInt8])

  /// Sends the only reply, which says nothing but that it was done.
  static var done: Self { .reply(Message.reply()) }

  /// The outcome of `start`, whose error becomes the message that says so.
  static func of<Failure: MethodError>(_ start: () throws(Failure) -> Self) -> Self {
    do throws(Failure) { return try start() } catch { return .refusal(error.message) }
  }
}

/// An error that a call is answered with.
protocol MethodError: Error {
  /// The last reply to the call.
  var message: [UInt8] { get }
}

extension GatewayError: MethodError {}
extension SetupError: MethodError {}
extension OperatorError: MethodError {}

extension Parameters {
  /// A parameter whose type was checked against the interface.
  func word(_ name: String) -> String { wordIfAny(name) ?? "" }

  func wordIfAny(_ name: String) -> String? { (try? stringIfPresent(name)) ?? nil }

  /// A flag that is false when it is absent.
  func isSet(_ name: String) -> Bool { (try? bool(name)) ?? false }

  /// Nil for what cannot be a count.
  func numberIfAny(_ name: String) -> UInt64? {
    guard let number = (try? integerIfPresent(name)) ?? nil else { return nil }
    return UInt64(exactly: number) ?? .max
  }
}
