// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Setup
import Varlink

extension SetupError {
  /// Characters of a text in one message; the rest is cut.
  private static let charactersMax = 400

  /// The error of ``SessionInterface`` for its code: `io.accessoryd.Session.InvalidRequest`.
  var errorName: String {
    "\(SessionInterface.name).\(code.name.prefix(1).uppercased())\(code.name.dropFirst())"
  }

  /// The message that refuses a call.
  var message: [UInt8] {
    Message.error(errorName) { json in
      json.member("code", code.rawValue)
      writeCause(to: &json)
    }
  }

  /// The members of a `Failure`.
  func writeMembers(to json: inout JSONWriter) {
    json.member("code", code.rawValue)
    json.member("name", code.name)
    writeCause(to: &json)
  }

  private func writeCause(to json: inout JSONWriter) {
    if let field { json.member("field", Self.cut(field)) }
    json.member("reason", Self.cut(reason))
    json.member("cure", Self.cut(cure))
  }

  private static func cut(_ text: String) -> String { String(text.unicodeScalars.prefix(charactersMax)) }
}
