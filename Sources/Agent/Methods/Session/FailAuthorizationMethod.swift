// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `FailAuthorization`: the app turns an accessory down that awaits it.
enum FailAuthorizationMethod: SessionMethod {
  static let name = SessionMethodName.failAuthorization

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let accessory = try call.accessory(of: try call.session())
    return try startPending(call) { (setup, id) throws(SetupError) in
      try setup.failAuthorization(accessory, id)
    }
  }
}
