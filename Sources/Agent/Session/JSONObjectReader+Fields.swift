// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Setup

/// The fields of an object in a call. Their types were checked against the interface; a value that is not acceptable is
/// refused with the field named.
extension JSONObjectReader {
  /// Why a field is not acceptable.
  func failure(_ name: String, _ reason: String, cure: String) -> SetupError {
    SetupError(.invalidRequest, field: path(of: name), reason, cure: cure)
  }

  /// nil when the field is absent or null; its type was checked.
  func checkedString(_ name: String) -> String? {
    if case .string(let string)? = object[name] { string } else { nil }
  }

  /// nil when the field is absent or null; its type was checked.
  func checkedObject(_ name: String) -> JSONObject? {
    if case .object(let object)? = object[name] { object } else { nil }
  }

  /// A whole number within a range.
  func number<Number: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(SetupError) -> Number? {
    guard case .integer(let integer)? = object[name] else { return nil }
    guard let number = Number(exactly: integer), range.contains(number) else {
      throw failure(
        name, "\(integer) is out of range", cure: "use \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The UTF-8 bytes of a string, within a range of lengths.
  func bytes(ofText name: String, in range: ClosedRange<Int>) throws(SetupError) -> [UInt8]? {
    guard let bytes = checkedString(name).map({ Array($0.utf8) }) else { return nil }
    return try checkCount(of: bytes, name, in: range)
  }

  private func checkCount(
    of bytes: [UInt8], _ name: String, in range: ClosedRange<Int>
  ) throws(SetupError) -> [UInt8] {
    guard !bytes.isEmpty || range.contains(0) else {
      throw failure(
        name, "it is empty",
        cure: "give \(range.lowerBound == 1 ? "at least one byte" : "\(Self.words(range)) bytes")")
    }
    guard range.contains(bytes.count) else {
      throw failure(
        name, "it has \(bytes.count) bytes", cure: "use \(Self.words(range)) bytes")
    }
    return bytes
  }

  /// Bytes written as hexadecimal digits, within a range of lengths.
  func hexadecimal(_ name: String, in range: ClosedRange<Int>) throws(SetupError) -> [UInt8]? {
    guard let text = checkedString(name) else { return nil }
    guard let bytes = Hex(digits: text)?.bytes else {
      throw failure(
        name, "these are no hexadecimal digits, or an odd number of them",
        cure: "write two digits for each byte")
    }
    return try checkCount(of: bytes, name, in: range)
  }

  private static func words(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}
