// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Writes messages (varlink.org, "Method Call"), each with its NUL. Members are in the order of the specification; those
/// that would be `false` are left out.
public enum Message {
  /// A reply; `parameters` writes the members of its object. With `continues`, another will follow.
  public static func reply(
    continues: Bool = false, _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) -> [UInt8] {
    print { json in
      json.object("parameters", parameters)
      if continues { json.member("continues", true) }
    }
  }

  /// The error reply to a call; `error` is the error's full name.
  public static func error(
    _ error: String, _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) -> [UInt8] {
    print { json in
      json.object("parameters", parameters)
      json.member("error", error)
    }
  }

  public static func error(_ error: ServiceError) -> [UInt8] {
    self.error(error.name) { error.writeParameters(to: &$0) }
  }

  package static func print(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    // Most messages are shorter.
    var json = JSONWriter(reserving: 512)
    json.message(body)
    return json.takeBytes()
  }
}
