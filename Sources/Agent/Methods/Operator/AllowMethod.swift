// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `Allow`: an operator lets automatic setup take a device again that was removed.
enum AllowMethod: OperatorMethod {
  static let name = OperatorMethodName.allow

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (app, device) = (call.parameters.word("app"), call.parameters.word("device"))
    return try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.allow(app: app, device: device, id)
    }
  }
}
