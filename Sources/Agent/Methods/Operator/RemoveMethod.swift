// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `Remove`: an operator removes an accessory.
enum RemoveMethod: OperatorMethod {
  static let name = OperatorMethodName.remove

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let accessory = call.parameters.word("accessory")
    return try startPending(call) { (setup, id) throws(OperatorError) in try setup.remove(accessory, id) }
  }
}
