// SPDX-License-Identifier: Apache-2.0

import InterfaceDefinition
import TestSupport
import Testing
import Varlink

@Suite("Interface definitions")
struct InterfaceParserTests {
  private static func field(_ name: String, _ type: InterfaceType) -> InterfaceField {
    InterfaceField(name: name, type: type)
  }

  @Test("Every type of the language is read")
  func everything() throws {
    let description = try Descriptions.everything()
    #expect(description.name == "org.example.everything")
    let place = InterfaceType.structure([Self.field("x", .int), Self.field("y", .int)])
    #expect(
      description.members["Everything"]
        == .type(
          .structure([
            Self.field("truth", .bool), Self.field("whole", .int), Self.field("half", .float),
            Self.field("name", .string), Self.field("payload", .object),
            Self.field("way", .enum(["north", "east", "south", "west"])), Self.field("place", place),
            Self.field("list", .array(.string)), Self.field("table", .map(.int)),
            Self.field("set", .map(.structure([]))), Self.field("maybe", .optional(.string)),
            Self.field("places", .optional(.array(place))), Self.field("other", .named("Other")),
            Self.field("more_deeply_nested", .array(.map(.array(.named("Other"))))),
          ])))
  }

  @Test("Distinguishes methods, errors and types")
  func members() throws {
    let description = try Descriptions.everything()
    #expect(description.method("Nothing") == InterfaceDescription.Method(input: [], output: []))
    #expect(
      description.method("Count")?.input == [
        Self.field("to", .int), Self.field("from", .optional(.int)),
      ])
    #expect(description.method("Count")?.output == [Self.field("number", .int)])
    #expect(description.error("Empty") == [] && description.error("TooMuch")?.count == 2)
    #expect(description.method("Empty") == nil && description.error("Nothing") == nil)
    #expect(description.members.count == 11)
  }

  @Test("Blanks and comments may stand anywhere, or nowhere")
  func blanks() throws {
    let wide = "#\ninterface#\r\n\torg.a#\ntype #\nA#\n(#\nb#\n:#\n?#\n[]#\nint#\n,c:[string]#x\nbool)#"
    let narrow = "interface org.a type A(b:?[]int,c:[string]bool)"
    #expect(try Descriptions.parse(wide).members == Descriptions.parse(narrow).members)
  }

  @Test(
    "A mistake is named and placed",
    arguments: [
      ("", "1:1: expected interface"),
      ("# only a comment", "1:17: expected interface"),
      ("interfaces org.a\nmethod A()->()", "1:1: expected interface"),
      ("interface org\nmethod A()->()", "1:11: expected the name of an interface, as org.example.lights"),
      ("interface org..a\nmethod A()->()", "1:11: expected the name of an interface, as org.example.lights"),
      ("interface org.-a\nmethod A()->()", "1:11: expected the name of an interface, as org.example.lights"),
      ("interface org.a-\nmethod A()->()", "1:11: expected the name of an interface, as org.example.lights"),
      ("interface 1org.a\nmethod A()->()", "1:11: expected the name of an interface, as org.example.lights"),
      ("interface org.a", "1:16: expected type, method or error"),
      ("interface org.a\nmethods A()->()", "2:1: expected type, method or error"),
      ("interface org.a\nmethod A()->() ()", "2:16: expected type, method or error"),
      ("interface org.a\nmethod a()->()", "2:8: expected the name of a method"),
      ("interface org.a\nmethod A_B()->()", "2:9: expected ("),
      ("interface org.a\nmethod A", "2:9: expected ("),
      ("interface org.a\nmethod A()", "2:11: expected ->"),
      ("interface org.a\nmethod A() - > ()", "2:12: expected ->"),
      ("interface org.a\nmethod A()->", "2:13: expected ("),
      ("interface org.a\nmethod A(b)->()", "2:9: expected fields with types"),
      ("interface org.a\nmethod A(b: int c: int)->()", "2:17: expected )"),
      ("interface org.a\nmethod A(b: int,)->()", "2:17: expected the name of a field"),
      ("interface org.a\nmethod A(b int)->()", "2:12: expected )"),
      ("interface org.a\nmethod A(b:)->()", "2:12: expected a type"),
      ("interface org.a\nmethod A(b: text)->()", "2:13: expected a type"),
      ("interface org.a\nmethod A(b: integer)->()", "2:13: expected a type"),
      ("interface org.a\nmethod A(b: ??int)->()", "2:14: a type is optional once"),
      ("interface org.a\nmethod A(b: [int]string)->()", "2:13: expected a type"),
      ("interface org.a\nmethod A(b: int[])->()", "2:16: expected )"),
      ("interface org.a\nmethod A(_b: int)->()", "2:10: expected the name of a field"),
      ("interface org.a\nmethod A(b_: int)->()", "2:10: expected the name of a field"),
      ("interface org.a\nmethod A(b__c: int)->()", "2:10: expected the name of a field"),
      ("interface org.a\nmethod A(2b: int)->()", "2:10: expected the name of a field"),
      ("interface org.a\nmethod A(b: int, b: int)->()", "2:18: b stands twice here"),
      ("interface org.a\ntype A (b, c: int)", "2:13: expected )"),
      ("interface org.a\ntype A (b: int, c)", "2:18: expected :"),
      ("interface org.a\ntype A (b, b)", "2:12: b stands twice here"),
      ("interface org.a\ntype A int", "2:8: expected ("),
      ("interface org.a\ntype A ()\nmethod A()->()", "3:8: A is described twice"),
      ("interface org.a\nerror A", "2:8: expected ("),
      ("interface org.a\nerror A (b: B)", "2:13: there is no type B"),
      ("interface org.a\nerror B ()\nerror A (b: B)", "3:13: there is no type B"),
      ("interface org.a\ntype A (a: A)", "2:6: A needs itself to be whole; use an array, a map or ?"),
      (
        "interface org.a\ntype A (b: (c: B))\ntype B (a: A)",
        "2:6: A needs itself to be whole; use an array, a map or ?"
      ),
      (
        "interface org.a\nmethod A(b: \(String(repeating: "[]", count: 16))int)->()",
        "2:45: more than 16 types stand in one another"
      ),
      ("interface org.a\nmethod A()->() \u{2028}", "2:16: expected type, method or error"),
    ])
  func mistakes(text: String, sentence: String) {
    #expect(throws: InterfaceError.self) { try Descriptions.parse(text) }
    do {
      _ = try Descriptions.parse(text)
    } catch {
      #expect("\(error)" == sentence)
    }
  }

  @Test("A text that is not UTF-8 is refused")
  func notUTF8() {
    #expect(throws: InterfaceError(kind: .notUTF8, line: 1, column: 1)) {
      try InterfaceParser.parse(Array("interface org.a\n# ".utf8) + [0xFF, 0x0A] + Array("error A ()".utf8))
    }
  }

  @Test("No damage to a definition does more than spoil it")
  func damage() throws {
    let whole = try Descriptions.everything()
    withEveryDamage(of: Descriptions.everythingText) { bytes, damage in
      guard let description = try? InterfaceParser.parse(bytes) else { return }
      #expect(description.members.count <= whole.members.count, "\(damage)")
    }
  }
}
