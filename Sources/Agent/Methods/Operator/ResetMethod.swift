// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `Reset`: puts an empty registry in the place of one that cannot be read.
enum ResetMethod: OperatorMethod {
  static let name = OperatorMethodName.reset

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    try startPending(call) { (setup, id) in setup.resetRegistry(id) }
  }
}
