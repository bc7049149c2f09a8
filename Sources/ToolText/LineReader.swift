// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
public import JSON
import Manifest

/// Takes the members of a line out of an object that somebody else wrote.
///
/// Members that nobody asks for are ignored, so that a newer agent may say more.
public struct LineReader {
  private let object: JSONObject
  /// The way to the object, with a dot behind it; empty for the line itself.
  private let path: String

  public init(_ object: JSONObject) { self.init(object, path: "") }

  private init(_ object: JSONObject, path: String) {
    self.object = object
    self.path = path
  }

  func problem(_ name: String, _ kind: LineProblem.Kind) -> LineProblem {
    LineProblem(path: path + name, kind: kind)
  }

  /// Nil when the member is absent or null.
  func element(_ name: String) -> JSONValue? {
    guard let element = object[name], element != .null else { return nil }
    return element
  }

  private func required<Value>(_ name: String, _ value: Value?) throws(LineProblem) -> Value {
    guard let value else { throw problem(name, object[name] == nil ? .missing : .wrongType) }
    return value
  }

  // MARK: JSON's types

  public func text(_ name: String) throws(LineProblem) -> String { try required(name, try textIfAny(name)) }

  public func textIfAny(_ name: String) throws(LineProblem) -> String? {
    switch element(name) {
    case .string(let text): text
    case nil: nil
    case .null, .bool, .integer, .double, .array, .object: throw problem(name, .wrongType)
    }
  }

  public func truth(_ name: String) throws(LineProblem) -> Bool { try required(name, try truthIfAny(name)) }

  func truthIfAny(_ name: String) throws(LineProblem) -> Bool? {
    switch element(name) {
    case .bool(let truth): truth
    case nil: nil
    case .null, .string, .integer, .double, .array, .object: throw problem(name, .wrongType)
    }
  }

  /// Text that is printed as it is: nothing in it disturbs a terminal, but lines may break.
  public func plainText(_ name: String) throws(LineProblem) -> String {
    try required(name, try plainTextIfAny(name))
  }

  public func plainTextIfAny(_ name: String) throws(LineProblem) -> String? {
    guard let text = try textIfAny(name) else { return nil }
    guard text.unicodeScalars.allSatisfy({ $0 == "\n" || !$0.isHiddenFromPeople }) else {
      throw problem(name, .unknownValue)
    }
    return text
  }

  /// Text of one line that is printed as it is.
  public func plainLineIfAny(_ name: String) throws(LineProblem) -> String? {
    guard let text = try plainTextIfAny(name) else { return nil }
    guard !text.unicodeScalars.contains("\n") else { throw problem(name, .unknownValue) }
    return text
  }

  func integer<Value: FixedWidthInteger>(_ name: String) throws(LineProblem) -> Value {
    try required(name, try integerIfAny(name))
  }

  func integerIfAny<Value: FixedWidthInteger>(_ name: String) throws(LineProblem) -> Value? {
    switch element(name) {
    case .integer(let integer):
      guard let value = Value(exactly: integer) else { throw problem(name, .unknownValue) }
      return value
    case nil: return nil
    case .null, .bool, .double, .string, .array, .object: throw problem(name, .wrongType)
    }
  }

  private func numberIfAny(_ name: String) throws(LineProblem) -> Double? {
    switch element(name) {
    case .integer(let integer): Double(integer)
    case .double(let fraction): fraction
    case nil: nil
    case .null, .bool, .string, .array, .object: throw problem(name, .wrongType)
    }
  }

  func object(_ name: String) throws(LineProblem) -> LineReader {
    try required(name, try objectIfAny(name))
  }

  /// How many there are of something.
  public func count(_ name: String) throws(LineProblem) -> Int {
    let count: Int = try integer(name)
    guard count >= 0 else { throw problem(name, .unknownValue) }
    return count
  }

  public func objectIfAny(_ name: String) throws(LineProblem) -> LineReader? {
    switch element(name) {
    case .object(let object): LineReader(object, path: "\(path)\(name).")
    case nil: nil
    case .null, .bool, .integer, .double, .string, .array: throw problem(name, .wrongType)
    }
  }

  private func arrayIfAny(_ name: String) throws(LineProblem) -> [JSONValue]? {
    switch element(name) {
    case .array(let elements): elements
    case nil: nil
    case .null, .bool, .integer, .double, .string, .object: throw problem(name, .wrongType)
    }
  }

  func objects(_ name: String) throws(LineProblem) -> [LineReader] {
    try required(name, try objectsIfAny(name))
  }

  func objectsIfAny(_ name: String) throws(LineProblem) -> [LineReader]? {
    guard let elements = try arrayIfAny(name) else { return nil }
    var readers: [LineReader] = []
    for (index, element) in elements.enumerated() {
      guard case .object(let object) = element else { throw problem("\(name)[\(index)]", .wrongType) }
      readers.append(LineReader(object, path: "\(path)\(name)[\(index)]."))
    }
    return readers
  }

  public func texts(_ name: String) throws(LineProblem) -> [String] {
    try required(name, try textsIfAny(name))
  }

  func textsIfAny(_ name: String) throws(LineProblem) -> [String]? {
    guard let elements = try arrayIfAny(name) else { return nil }
    var texts: [String] = []
    for (index, element) in elements.enumerated() {
      guard case .string(let text) = element else { throw problem("\(name)[\(index)]", .wrongType) }
      texts.append(text)
    }
    return texts
  }

  // MARK: What texts and numbers stand for

  func wordIfAny<Value>(
    _ name: String, of values: [Value], _ word: (Value) -> String
  ) throws(LineProblem) -> Value? {
    guard let text = try textIfAny(name) else { return nil }
    for value in values where word(value) == text { return value }
    throw problem(name, .unknownValue)
  }

  func word<Value>(
    _ name: String, of values: [Value], _ word: (Value) -> String
  ) throws(LineProblem) -> Value {
    try required(name, try wordIfAny(name, of: values, word))
  }

  func bytesIfAny(_ name: String) throws(LineProblem) -> [UInt8]? {
    guard let text = try textIfAny(name) else { return nil }
    guard let bytes = HexText.bytes(text) else { throw problem(name, .unknownValue) }
    return bytes
  }

  func bytes(_ name: String) throws(LineProblem) -> [UInt8] { try required(name, try bytesIfAny(name)) }

  /// Text of the air; what had to be altered stands beside it.
  func airTextIfAny(_ name: String) throws(LineProblem) -> AirText? {
    guard let text = try textIfAny(name) else { return nil }
    return AirText(try bytesIfAny(name + "Hex") ?? Array(text.utf8))
  }

  func airText(_ name: String) throws(LineProblem) -> AirText { try required(name, try airTextIfAny(name)) }

  /// Whole microseconds; 2^51 of them, 71 years, come exactly through a Double.
  func seconds(_ name: String) throws(LineProblem) -> Seconds {
    try required(name, try secondsIfAny(name))
  }

  func secondsIfAny(_ name: String) throws(LineProblem) -> Seconds? {
    guard let seconds = try numberIfAny(name) else { return nil }
    guard let microseconds = Int64(exactly: (seconds * 1_000_000).rounded()), microseconds.magnitude < 1 << 51
    else { throw problem(name, .unknownValue) }
    return Seconds(microseconds: microseconds)
  }

  func decibels(_ name: String) throws(LineProblem) -> Decibels {
    try required(name, try decibelsIfAny(name))
  }

  /// Exact to a sixteenth, and no more than any level or loss could be.
  func decibelsIfAny(_ name: String) throws(LineProblem) -> Decibels? {
    guard let decibels = try numberIfAny(name) else { return nil }
    guard let sixteenths = Int(exactly: decibels * 16), sixteenths.magnitude < 1 << 16 else {
      throw problem(name, .unknownValue)
    }
    return Decibels(sixteenths: sixteenths)
  }
}
