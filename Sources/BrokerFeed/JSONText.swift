// SPDX-License-Identifier: GPL-3.0-or-later

public import JSON

/// JSON texts for payloads.
public enum JSONText {
  public static func object(keepsNull: Bool = false, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter(keepsNull: keepsNull)
    json.line(body)
    return json.bytes.dropLast()
  }
}
