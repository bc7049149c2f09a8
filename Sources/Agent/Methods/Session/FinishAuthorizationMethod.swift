// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Setup
import Varlink

/// `FinishAuthorization`: the app confirms an accessory that awaits it.
enum FinishAuthorizationMethod: SessionMethod {
  static let name = SessionMethodName.finishAuthorization

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

extension JSONObjectReader {
  /// Six bytes as a number, the first one the most significant.
  fileprivate func sixBytes(_ name: String) throws(SetupError) -> UInt64? {
    try hexadecimal(name, in: 6...6).map { UInt64(bigEndian: $0) }
  }
}
