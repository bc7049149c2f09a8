// SPDX-License-Identifier: GPL-3.0-or-later

import Setup
import Varlink

/// `Choose`: an operator chooses a candidate, or the network of an item without Bluetooth.
enum ChooseMethod: OperatorMethod {
  static let member = "Choose"

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let parameters = call.parameters
    return try startPending(call, milliseconds: Patience.choiceMilliseconds) {
      (setup, id) throws(OperatorError) in
      let candidate = (try? parameters.integerIfPresent("candidate")) ?? 0
      guard let number = UInt32(exactly: candidate) else {
        throw .notFound(.candidate, name: "\(candidate)")
      }
      return try setup.choose(
        parameters.word("request"), candidate: number, name: parameters.wordIfAny("name"),
        ssid: parameters.wordIfAny("ssid"), id)
    }
  }
}

/// `Name`: an operator names the accessory that is being set up, or renamed.
enum NameMethod: OperatorMethod {
  static let member = "Name"

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (request, name) = (call.parameters.word("request"), call.parameters.word("name"))
    return try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.name(request, name, id)
    }
  }
}

/// `Agree`: an operator agrees to what an app asks for an accessory that it has.
enum AgreeMethod: OperatorMethod {
  static let member = "Agree"

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let request = call.parameters.word("request")
    return try startPending(call) { (setup, id) throws(OperatorError) in try setup.agree(request, id) }
  }
}

/// `Deny`: an operator turns a request down.
enum DenyMethod: OperatorMethod {
  static let member = "Deny"

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    call.agent.follow(try call.agent.setupCore.deny(call.parameters.word("request")))
    return .done
  }
}

/// `Cancel`: an operator closes a request without a choice.
enum CancelMethod: OperatorMethod {
  static let member = "Cancel"

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    call.agent.follow(try call.agent.setupCore.cancel(call.parameters.word("request")))
    return .done
  }
}
