// SPDX-License-Identifier: GPL-3.0-or-later

import Varlink

/// A method of any interface of the agent.
enum AgentMethod: ServedMethod, Equatable {
  case gateway(GatewayMethod)
  case session(SessionMethod)
  case picker(PickerMethod)

  static var allCases: [Self] {
    GatewayMethod.allCases.map { .gateway($0) } + SessionMethod.allCases.map { .session($0) }
      + PickerMethod.allCases.map { .picker($0) }
  }

  init?(rawValue: String) {
    if let method = GatewayMethod(rawValue: rawValue) {
      self = .gateway(method)
    } else if let method = SessionMethod(rawValue: rawValue) {
      self = .session(method)
    } else if let method = PickerMethod(rawValue: rawValue) {
      self = .picker(method)
    } else {
      return nil
    }
  }

  /// Its whole name.
  var rawValue: String {
    switch self {
    case .gateway(let method): method.rawValue
    case .session(let method): method.rawValue
    case .picker(let method): method.rawValue
    }
  }

  var replies: ReplyCount {
    switch self {
    case .gateway(let method): method.replies
    case .session(let method): method.replies
    case .picker(let method): method.replies
    }
  }

  /// The interfaces that only operators may call.
  static let operatorInterfaces: Set = [GatewayInterface.name, PickerInterface.name]
}
