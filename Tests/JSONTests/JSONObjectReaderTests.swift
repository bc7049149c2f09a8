// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@Suite("Reading objects member by member")
struct JSONObjectReaderTests {
  private static func reader(_ text: String) throws -> JSONObjectReader {
    guard case .object(let object) = try JSONReader.read(Array(text.utf8).span) else {
      throw JSONMemberError(path: "", kind: .wrongType)
    }
    return JSONObjectReader(object)
  }

  @Test("Members are read by their types, and unknown ones are ignored")
  func types() throws {
    let reader = try Self.reader(#"{"s":"a","b":true,"i":7,"d":0.5,"l":["x"],"h":"0aFF","n":null,"more":{}}"#)
    #expect(try reader.string("s") == "a" && reader.bool("b") && reader.integer("i") == UInt8(7))
    #expect(try reader.doubleIfPresent("d") == 0.5 && reader.doubleIfPresent("i") == 7)
    #expect(try reader.strings("l") == ["x"] && reader.bytes("h") == [0x0A, 0xFF])
    #expect(try reader.stringIfPresent("n") == nil && reader.boolIfPresent("absent") == nil)
    #expect(reader.names == ["s", "b", "i", "d", "l", "h", "more"])
  }

  @Test("An error has the path of its member")
  func paths() throws {
    let reader = try Self.reader(#"{"gate":{"samples":"1"},"items":[{"id":1},2],"h":"0"}"#)
    #expect(throws: JSONMemberError(path: "gate.samples", kind: .wrongType)) {
      try reader.object("gate").integer("samples") as Int
    }
    #expect(throws: JSONMemberError(path: "items[1]", kind: .wrongType)) {
      try reader.objectsIfPresent("items")
    }
    #expect(throws: JSONMemberError(path: "absent", kind: .missing)) { try reader.string("absent") }
    #expect(throws: JSONMemberError(path: "h", kind: .unknownValue)) { try reader.bytes("h") }
  }
}
