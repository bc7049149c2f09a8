// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `Cancel`: an operator closes a request without a choice.
enum CancelMethod: OperatorMethod {
  static let name = OperatorMethodName.cancel

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    call.agent.follow(try call.agent.setupCore.cancel(call.parameters.word("request")))
    return .done
  }
}
