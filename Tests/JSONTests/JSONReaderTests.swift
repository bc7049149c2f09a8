// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
  private static func read(_ text: String) throws(JSONError) -> JSONValue {
    try JSONReader.read(Array(text.utf8).span)
  }

  private static func problem(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
    do {
      _ = try JSONReader.read(bytes.span, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "Values arrive as they were written",
    arguments: [
      ("null", .null), (" true\n", .bool(true)), ("false", .bool(false)),
      ("0", .integer(0)), ("-0", .integer(0)), ("17", .integer(17)),
      ("9007199254740991", .integer(9_007_199_254_740_991)),
      ("-9007199254740991", .integer(-9_007_199_254_740_991)),
      ("1.0", .double(1)), ("-2.5e-3", .double(-0.0025)), ("1E2", .double(100)),
      ("\"\"", .string("")), (#""a\/b""#, .string("a/b")),
      (#""\"\\\b\f\n\r\t""#, .string("\"\\\u{8}\u{C}\n\r\t")),
      (#""\u0000""#, .string("\0")), (#""gr\u00fcn \ud83D\uDca1!""#, .string("grün 💡!")),
      ("\"灯💡\"", .string("灯💡")),
      ("[]", .array([])), ("[ 1 , [ ] ]", .array([.integer(1), .array([])])),
      ("{}", .object(JSONObject())),
      (
        #"{"z":1,"a":{"b":[]}}"#,
        .object(
          JSONObject([
            .init(name: "z", value: .integer(1)),
            .init(name: "a", value: .object(JSONObject([.init(name: "b", value: .array([]))]))),
          ]))
      ),
    ] as [(String, JSONValue)])
  func values(text: String, expected: JSONValue) throws {
    #expect(try Self.read(text) == expected)
  }

  @Test("An integer that not every implementation holds is a fraction")
  func largeIntegers() throws {
    #expect(try Self.read("9007199254740992") == .double(9_007_199_254_740_992))
    #expect(try Self.read("-9223372036854775808") == .double(-9_223_372_036_854_775_808))
    #expect(try Self.read("123456789012345678901234567890") == .double(1.2345678901234568e29))
  }

  @Test(
    "A mistake is named and placed",
    arguments: [
      ("", .endOfText, 0), ("  ", .endOfText, 2), ("[1", .endOfText, 2), ("{\"a\":", .endOfText, 5),
      ("tru", .endOfText, 3), ("-", .endOfText, 1), ("1.", .endOfText, 2), ("\"a", .endOfText, 2),
      ("\"\\", .endOfText, 2), ("\"\\u00", .endOfText, 5),
      ("nul!", .unexpectedByte(0x21), 3), ("'a'", .unexpectedByte(0x27), 0),
      ("[1,]", .unexpectedByte(0x5D), 3),
      ("[,1]", .unexpectedByte(0x2C), 1), ("{\"a\" 1}", .unexpectedByte(0x31), 5),
      ("{a:1}", .unexpectedByte(0x61), 1), ("{\"a\":1,}", .unexpectedByte(0x7D), 7),
      ("[1}", .unexpectedByte(0x7D), 2), ("+1", .unexpectedByte(0x2B), 0), (".5", .unexpectedByte(0x2E), 0),
      ("NaN", .unexpectedByte(0x4E), 0), ("/**/1", .unexpectedByte(0x2F), 0),
      ("\u{FEFF}1", .unexpectedByte(0xEF), 0),
      ("\u{B}1", .unexpectedByte(0x0B), 0),
      ("1 2", .trailing, 2), ("01", .trailing, 1), ("{}}", .trailing, 2), ("\"a\"b", .trailing, 3),
      ("-a", .badNumber, 1), ("1.e1", .badNumber, 2), ("1e+", .endOfText, 3), ("1ex", .badNumber, 2),
      ("1e400", .numberOutOfRange, 0), ("[-1e999]", .numberOutOfRange, 1),
      ("\"a\nb\"", .bareControl, 2), ("\"\u{0}\"", .bareControl, 1),
      (#""\x41""#, .badEscape, 1), (#""\u12g4""#, .badEscape, 1), (#""ab\ud83dz""#, .loneSurrogate, 3),
      (#""\ud83d\n""#, .loneSurrogate, 1), (#""\ud83d\u0041""#, .loneSurrogate, 1),
      (#""\udca1""#, .loneSurrogate, 1),
      (#""\ud83d\ud83d""#, .loneSurrogate, 1),
      (#"{"a":1,"b":2,"a":3}"#, .duplicateName, 13), (#"{"a":1,"\u0061":2}"#, .duplicateName, 7),
    ] as [(String, JSONError.Kind, Int)])
  func mistakes(text: String, kind: JSONError.Kind, offset: Int) {
    #expect(Self.problem(Array(text.utf8)) == JSONError(kind, at: offset))
  }

  @Test(
    "Text that is not UTF-8 is refused",
    arguments: [[0xFF], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80]])
  func notUTF8(bytes: [UInt8]) {
    let quote = [UInt8(ascii: "\"")]
    #expect(Self.problem(quote + bytes + quote) == JSONError(.notUTF8, at: 1))
    #expect(Self.problem(quote + bytes + Array("\\u00e9".utf8) + quote) == JSONError(.notUTF8, at: 1))
  }

  @Test("Names that Unicode holds for equal are two names")
  func names() throws {
    guard case .object(let object) = try Self.read("{\"K\":1,\"\u{212A}\":2}") else {
      Issue.record("not an object")
      return
    }
    #expect(object["K"] == .integer(1) && object["\u{212A}"] == .integer(2) && object["k"] == nil)
  }

  @Test("The hundredth name of an object is compared too", arguments: [0, 7, 8, 9, 98])
  func manyNames(repeated: Int) {
    let members = (0..<99).map { "\"name\($0)\":0" }
    #expect(Self.problem(Array("{\(members.joined(separator: ","))}".utf8)) == nil)
    let text = "{\((members + ["\"name\(repeated)\":0"]).joined(separator: ","))}"
    #expect(Self.problem(Array(text.utf8))?.kind == .duplicateName)
  }

  @Test("Limits are kept to the last value")
  func limits() {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(Self.problem(nested(16)) == nil)
    #expect(Self.problem(nested(17)) == JSONError(.tooDeep, at: 16))
    #expect(Self.problem(Array(String(repeating: "[", count: 16_384).utf8)) == JSONError(.tooDeep, at: 16))
    #expect(Self.problem(Array("[[],{},[[]],[]]".utf8), limits: JSONLimits(depthMax: 3)) == nil)
    let list = "[\(Array(repeating: "0", count: 2047).joined(separator: ","))]"
    #expect(Self.problem(Array(list.utf8)) == nil)
    #expect(Self.problem(Array("[0,\(list.dropFirst())".utf8))?.kind == .tooManyValues)
    #expect(Self.problem(Array(String(repeating: "1", count: 32).utf8)) == nil)
    #expect(Self.problem(Array(String(repeating: "1", count: 33).utf8))?.kind == .numberOutOfRange)
  }
}
