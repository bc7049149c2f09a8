// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Setup
import Varlink

// The methods that hand an app's request to the setups, and nothing more.

/// `CancelPicker`: the app closes its picker.
enum CancelPickerMethod: SessionMethod {
  static let name = SessionMethodName.cancelPicker

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try call.session()
    call.agent.follow(try call.agent.setupCore.cancelPicker(session))
    return .done
  }
}

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

/// `FinishPickerDiscovery`: the app shows nothing more in its filtered picker.
enum FinishPickerDiscoveryMethod: SessionMethod {
  static let name = SessionMethodName.finishPickerDiscovery

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try call.session()
    call.agent.follow(try call.agent.setupCore.finishPickerDiscovery(session))
    return .done
  }
}

/// `Invalidate`: ends the session.
enum InvalidateMethod: SessionMethod {
  static let name = SessionMethodName.invalidate

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try call.session()
    call.agent.follow(call.agent.setupCore.invalidate(session))
    return .done
  }
}

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
