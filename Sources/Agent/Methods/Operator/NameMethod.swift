// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `Name`: an operator names the accessory that is being set up, or renamed.
enum NameMethod: OperatorMethod {
  static let name = OperatorMethodName.name

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (request, name) = (call.parameters.word("request"), call.parameters.word("name"))
    return try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.name(request, name, id)
    }
  }
}
