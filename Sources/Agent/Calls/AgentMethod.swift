// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// A method that the agent serves, and what holds for every call of it.
enum AgentMethod: ServedMethod, Equatable {
  case gateway(GatewayMethodName)
  case session(SessionMethodName)
  case `operator`(OperatorMethodName)

  static let allCases =
    GatewayMethodName.allCases.map(Self.gateway) + SessionMethodName.allCases.map(Self.session)
    + OperatorMethodName.allCases.map(Self.operator)
  private static let methodsByName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// The interfaces that only operators may call.
  static let operatorInterfaces: Set = [GatewayInterface.name, OperatorInterface.name]

  /// The method of a whole name.
  init?(rawValue: String) {
    guard let method = Self.methodsByName[rawValue] else { return nil }
    self = method
  }

  private var name: any ServedMethod {
    switch self {
    case .gateway(let name): name
    case .session(let name): name
    case .operator(let name): name
    }
  }

  var rawValue: String { name.rawValue }
  var replies: ReplyCount { name.replies }

  /// Whether the call goes on until its client or an operator ends it, so that it takes a connection for long.
  func lastsUntilClosed(_ parameters: Parameters) -> Bool {
    switch self {
    case .operator(.list): parameters.isSet("follows")
    case .gateway(.watch), .gateway(.capture), .session(.activate), .session(.watchAdvertisements),
      .operator(.watch), .operator(.open), .operator(.replace):
      true
    case .gateway, .session, .operator: false
    }
  }

  /// Whether the reply depends on devices that no item looks for.
  func needsEveryReport(_ parameters: Parameters) -> Bool {
    switch self {
    case .gateway(.sightings): parameters.isSet(GatewayInterface.includesAll)
    case .gateway(.inspect): true
    case .gateway, .session, .operator: false
    }
  }

  /// When a bridge may call it, of the methods that only operators may call otherwise.
  var bridgeRight: BridgeRight {
    switch self {
    case .gateway(.status), .gateway(.watch), .gateway(.watchReports), .operator(.list): .always
    case .operator(.watch), .operator(.choose), .operator(.deny), .operator(.cancel), .operator(.name),
      .operator(.open):
      .with(.pick)
    case .operator(.rename): .with(.rename)
    case .gateway(.scanActively): .with(.scan)
    case .operator(.remove): .with(.remove)
    case .gateway, .session, .operator: .never
    }
  }

  /// The error for a disk that does not answer in time; nil for a method that needs no registry.
  var diskTimeout: [UInt8]? {
    switch self {
    case .gateway: nil
    case .session:
      SetupError(
        .unknown, Patience.diskTimeoutSentence,
        cure: "call List to see whether it took effect, and ask the gateway's operator"
      ).message
    case .operator: OperatorError.registry(Patience.diskTimeoutSentence).message
    }
  }
}

/// When a bridge may call a method of the operators.
enum BridgeRight {
  case never, always
  /// When its table in the manifest has this in `may`.
  case with(BridgePermission)
}

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
