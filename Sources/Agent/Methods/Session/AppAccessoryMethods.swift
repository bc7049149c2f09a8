// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Setup
import Varlink

/// `RenameAccessory`: asks the operators to name an accessory anew.
enum RenameAppAccessoryMethod: SessionMethod {
  static let member = "RenameAccessory"

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let parameters = call.parameters
    let session = try call.session()
    let options = try JSONObjectReader(parameters.object, at: "").renameOptions()
    let accessory = try call.accessory(of: session)
    return try startPending(call, milliseconds: Patience.answerMilliseconds) {
      (setup, id) throws(SetupError) in
      try setup.renameAccessory(accessory, session, options: options, id)
    }
  }
}

/// `RemoveAccessory`: the app gives an accessory up.
enum RemoveAppAccessoryMethod: SessionMethod {
  static let member = "RemoveAccessory"

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let accessory = try call.accessory(of: try call.session())
    return try startPending(call) { (setup, id) throws(SetupError) in
      try setup.removeAccessory(accessory, id)
    }
  }
}

/// `FinishAuthorization`: the app confirms an accessory that awaits it.
enum FinishAuthorizationMethod: SessionMethod {
  static let member = "FinishAuthorization"

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let parameters = call.parameters
    let session = try call.session()
    let fields = JSONObjectReader(parameters.object, at: "")
    let bridgingIdentifier = try fields.sixBytes("bluetoothTransportBridgingIdentifier")
    let accessory = try call.accessory(of: session)
    return try startPending(call) { (setup, id) throws(SetupError) in
      try setup.finishAuthorization(
        accessory, ssid: parameters.wordIfAny("ssid").map { Array($0.utf8) },
        bridgingIdentifier: bridgingIdentifier, id)
    }
  }
}

/// `FailAuthorization`: the app turns an accessory down that awaits it.
enum FailAuthorizationMethod: SessionMethod {
  static let member = "FailAuthorization"

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let accessory = try call.accessory(of: try call.session())
    return try startPending(call) { (setup, id) throws(SetupError) in
      try setup.failAuthorization(accessory, id)
    }
  }
}

/// `UpdateAuthorization`: asks the operators to let an accessory be more than it is: a network, or a second identity.
enum UpdateAuthorizationMethod: SessionMethod {
  static let member = "UpdateAuthorization"

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try call.session()
    let accessory = try call.accessory(of: session)
    let adds = try ExtensionFields.read(call.parameters, of: accessory, app: try call.app(of: session))
    return try startPending(call, milliseconds: Patience.answerMilliseconds) {
      (setup, id) throws(SetupError) in
      try setup.updateAuthorization(accessory, session, adding: adds, id)
    }
  }
}

extension JSONObjectReader {
  /// Six bytes as a number, the first one the most significant.
  fileprivate func sixBytes(_ name: String) throws(SetupError) -> UInt64? {
    try hexadecimal(name, in: 6...6)?.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
