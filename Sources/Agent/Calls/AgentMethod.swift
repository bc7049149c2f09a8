// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
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
      .operator(.watch), .operator(.open):
      true
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
