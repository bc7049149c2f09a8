// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `Invalidate`: ends the session.
enum InvalidateMethod: SessionMethod {
  static let name = SessionMethodName.invalidate

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try call.session()
    call.agent.follow(call.agent.setupCore.invalidate(session))
    return .done
  }
}
