// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `FinishPickerDiscovery`: the app shows nothing more in its filtered picker.
enum FinishPickerDiscoveryMethod: SessionMethod {
  static let name = SessionMethodName.finishPickerDiscovery

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try call.session()
    call.agent.follow(try call.agent.setupCore.finishPickerDiscovery(session))
    return .done
  }
}
