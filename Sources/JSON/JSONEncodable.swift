// SPDX-License-Identifier: Apache-2.0

@_exported public import Values

/// A value that can be written as JSON.
public protocol JSONEncodable {
  func write(to json: inout JSONWriter)
}

extension Bool: JSONEncodable {
  public func write(to json: inout JSONWriter) { json.literal(self ? "true" : "false") }
}

extension String: JSONEncodable {
  public func write(to json: inout JSONWriter) { json.string(self) }
}

extension JSONEncodable where Self: FixedWidthInteger {
  public func write(to json: inout JSONWriter) { json.literal(String(self)) }
}

extension Int: JSONEncodable {}
extension Int8: JSONEncodable {}
extension Int16: JSONEncodable {}
extension Int32: JSONEncodable {}
extension Int64: JSONEncodable {}
extension UInt8: JSONEncodable {}
extension UInt16: JSONEncodable {}
extension UInt32: JSONEncodable {}
extension UInt64: JSONEncodable {}

extension Array: JSONEncodable where Element: JSONEncodable {
  public func write(to json: inout JSONWriter) {
    json.array { json in
      for element in self { element.write(to: &json) }
    }
  }
}

extension Hex: JSONEncodable {
  public func write(to json: inout JSONWriter) { json.hexadecimal(bytes) }
}
