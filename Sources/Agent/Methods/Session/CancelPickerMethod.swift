// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

/// `CancelPicker`: the app closes its picker.
enum CancelPickerMethod: SessionMethod {
  static let name = SessionMethodName.cancelPicker

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try call.session()
    call.agent.follow(try call.agent.setupCore.cancelPicker(session))
    return .done
  }
}
