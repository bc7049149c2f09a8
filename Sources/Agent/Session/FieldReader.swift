// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Manifest
import Setup

/// Reads the fields of an object in a call, whose types were checked against the interface; what their values say is
/// refused with the field named.
struct FieldReader {
  private let object: JSONObject
  private let path: String

  init(_ object: JSONObject, at path: String) {
    self.object = object
    self.path = path
  }

  /// Why a field is not acceptable.
  func failure(_ name: String, _ reason: String, cure: String) -> SetupFailure {
    SetupFailure(.invalidRequest, field: path(of: name), reason, cure: cure)
  }

  /// Where a field stands in the call.
  func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// The fields that are there and not null, in the order they came.
  var names: [String] { object.members.filter { $0.value != .null }.map(\.name) }

  /// Nil when the field is absent or null.
  func text(_ name: String) -> String? {
    if case .string(let text)? = object[name] { text } else { nil }
  }

  /// Nil when the field is absent or null.
  func object(_ name: String) -> JSONObject? {
    if case .object(let object)? = object[name] { object } else { nil }
  }

  /// A whole number within a range.
  func number<Number: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(SetupFailure) -> Number? {
    guard case .integer(let integer)? = object[name] else { return nil }
    guard let number = Number(exactly: integer), range.contains(number) else {
      throw failure(
        name, "\(integer) is out of range", cure: "use \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A text's octets, so many of them.
  func bytes(ofText name: String, in range: ClosedRange<Int>) throws(SetupFailure) -> [UInt8]? {
    guard let bytes = text(name).map({ Array($0.utf8) }) else { return nil }
    guard range.contains(bytes.count) else {
      throw failure(
        name, "it has \(bytes.count) bytes", cure: "use \(Self.words(range)) bytes")
    }
    return bytes
  }

  /// Octets written as digits, so many of them.
  func hexadecimal(_ name: String, in range: ClosedRange<Int>) throws(SetupFailure) -> [UInt8]? {
    guard let text = text(name) else { return nil }
    guard let bytes = HexText.bytes(text) else {
      throw failure(
        name, "these are no hexadecimal digits, or an odd number of them",
        cure: "write two digits for each byte")
    }
    guard range.contains(bytes.count) else {
      throw failure(
        name, "it has \(bytes.count) bytes", cure: "use \(Self.words(range)) bytes")
    }
    return bytes
  }

  private static func words(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}
