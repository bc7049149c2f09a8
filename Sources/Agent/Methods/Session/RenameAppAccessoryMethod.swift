// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Manifest
import Setup
import Varlink

/// `RenameAccessory`: asks the operators to name an accessory anew.
enum RenameAppAccessoryMethod: SessionMethod {
  static let name = SessionMethodName.renameAccessory

  static func start(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let parameters = call.parameters
    let session = try call.askingSession()
    let options = try JSONObjectReader(parameters.object, at: "").renameOptions() ?? []
    let accessory = try call.accessory(of: session)
    return try startPending(call, milliseconds: Patience.answerMilliseconds) {
      (setup, id) throws(SetupError) in
      try setup.renameAccessory(accessory, session, options: options, id)
    }
  }
}

extension JSONObjectReader {
  /// `renameOptions`, of an item, of a device that a filtered picker shows, and of RenameAccessory.
  func renameOptions() throws(SetupError) -> RenameOptions? {
    try options("renameOptions", among: RenameOptions.ssid, named: "ssid 1, or 0")
  }
}
