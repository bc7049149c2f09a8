// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `Rename`: an operator renames an accessory.
enum RenameMethod: OperatorMethod {
  static let name = OperatorMethodName.rename

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (accessory, name) = (call.parameters.word("accessory"), call.parameters.word("name"))
    return try startPending(call) { (setup, id) throws(OperatorError) in
      try setup.rename(accessory, name, id)
    }
  }
}
