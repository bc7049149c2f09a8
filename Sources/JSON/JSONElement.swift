// SPDX-License-Identifier: Apache-2.0

/// A value that was read from JSON.
public enum JSONElement: Equatable, Sendable {
  case null
  case truth(Bool)
  /// A number written without fraction and exponent, below 2^53 in magnitude, which every JSON implementation holds
  /// exactly (RFC 7493, 2.2).
  case integer(Int64)
  /// Any other number, finite, as near as a Double comes.
  case fraction(Double)
  case text(String)
  case array([JSONElement])
  case object(JSONObject)
}

extension JSONElement: JSONValue {
  public func write(to json: inout JSONWriter) {
    switch self {
    case .null: json.literal("null")
    case .truth(let truth): truth.write(to: &json)
    case .integer(let integer): integer.write(to: &json)
    case .fraction(let fraction): json.literal(fraction.description)
    case .text(let text): json.string(text)
    case .array(let elements): elements.write(to: &json)
    case .object(let object): object.write(to: &json)
    }
  }
}
