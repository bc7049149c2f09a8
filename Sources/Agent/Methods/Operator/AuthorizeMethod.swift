// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `Authorize`: an operator confirms that an app's accessories belong to its new account.
enum AuthorizeMethod: OperatorMethod {
  static let name = OperatorMethodName.authorize

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let app = call.parameters.word("app")
    return try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.authorize(app: app, id)
    }
  }
}
