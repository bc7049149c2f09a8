// SPDX-License-Identifier: Apache-2.0

/// What can stand as a value in the JSON we print.
public protocol JSONValue {
  func write(to json: inout JSONWriter)
}

extension Bool: JSONValue {
  public func write(to json: inout JSONWriter) { json.literal(self ? "true" : "false") }
}

extension String: JSONValue {
  public func write(to json: inout JSONWriter) { json.string(self) }
}

extension JSONValue where Self: FixedWidthInteger {
  public func write(to json: inout JSONWriter) { json.literal(String(self)) }
}

extension Int: JSONValue {}
extension Int8: JSONValue {}
extension Int16: JSONValue {}
extension Int32: JSONValue {}
extension Int64: JSONValue {}
extension UInt8: JSONValue {}
extension UInt16: JSONValue {}
extension UInt32: JSONValue {}
extension UInt64: JSONValue {}

/// An absent value is `null`.
extension Optional: JSONValue where Wrapped: JSONValue {
  public func write(to json: inout JSONWriter) {
    guard let self else { return json.literal("null") }
    self.write(to: &json)
  }
}

extension Array: JSONValue where Element: JSONValue {
  public func write(to json: inout JSONWriter) {
    json.array { json in
      for element in self { element.write(to: &json) }
    }
  }
}
