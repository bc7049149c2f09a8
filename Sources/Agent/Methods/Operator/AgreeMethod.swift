// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `Agree`: an operator agrees to what an app asks for an accessory that it has.
enum AgreeMethod: OperatorMethod {
  static let name = OperatorMethodName.agree

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let request = call.parameters.word("request")
    return try startPending(call) { (setup, id) throws(OperatorError) in try setup.agree(request, id) }
  }
}
