// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `RemoveAccessory`: the app gives an accessory up.
enum RemoveAppAccessoryMethod: SessionMethod {
  static let name = SessionMethodName.removeAccessory

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let accessory = try call.accessory(of: try call.session())
    return try startPending(call) { (setup, id) throws(SetupError) in
      try setup.removeAccessory(accessory, id)
    }
  }
}
