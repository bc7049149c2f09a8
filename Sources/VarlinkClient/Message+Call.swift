// SPDX-License-Identifier: Apache-2.0

public import JSON
public import Varlink

extension Message {
  /// A call; `method` is the method's full name.
  public static func call(
    _ method: String, oneway: Bool = false, more: Bool = false,
    _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) -> [UInt8] {
    print { json in
      json.member("method", method)
      json.object("parameters", parameters)
      if oneway { json.member("oneway", true) }
      if more { json.member("more", true) }
    }
  }
}
