// SPDX-License-Identifier: GPL-3.0-or-later

import JSON

/// A message of a stream of server-sent events (HTML Living Standard, 9.2): a name, and an object in one line.
enum StreamMessage {
  /// Keeps the connection open, and shows whether the browser is still there.
  static let beat = Array(": \n\n".utf8)

  static func event(_ name: String, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    // JSON has no line breaks in it; the writer ends the object with one.
    json.line(members)
    return Array("event: \(name)\ndata: ".utf8) + json.takeBytes() + [UInt8(ascii: "\n")]
  }
}
