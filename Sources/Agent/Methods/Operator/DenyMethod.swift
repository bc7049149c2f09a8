// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `Deny`: an operator turns a request down.
enum DenyMethod: OperatorMethod {
  static let name = OperatorMethodName.deny

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    call.agent.follow(try call.agent.setupCore.deny(call.parameters.word("request")))
    return .done
  }
}
