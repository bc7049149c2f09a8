// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@Suite struct JSONWriterTests {
  private func line(_ body: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    json.line(body)
    return String(decoding: json.takeBytes(), as: UTF8.self)
  }

  @Test func membersStandInTheOrderTheyAreWritten() {
    let text = line { json in
      json.member("z", 1)
      json.member("a", true)
      json.member("m", Int?.some(2))
    }
    #expect(text == #"{"z":1,"a":true,"m":2}"# + "\n")
  }

  @Test(arguments: [(false, #"{"n":1}"#), (true, #"{"none":null,"n":1}"#)])
  func aMemberWithoutAValueIsLeftOutUnlessTheWriterKeepsNull(keepsNull: Bool, line: String) {
    var json = JSONWriter(keepsNull: keepsNull)
    json.line { json in
      json.member("none", String?.none)
      json.member("n", 1)
    }
    #expect(String(decoding: json.takeBytes(), as: UTF8.self) == line + "\n")
  }

  @Test func containersNest() {
    let text = line { json in
      json.object("o") { $0.member("x", -1) }
      json.objects("list", [1, 2]) { $0.member("n", $1) }
      json.member("uuids", ["180f", "fe0f"])
      json.object("empty") { _ in }
      json.member("none", [Int]())
    }
    #expect(
      text == #"{"o":{"x":-1},"list":[{"n":1},{"n":2}],"uuids":["180f","fe0f"],"empty":{},"none":[]}"# + "\n")
  }

  @Test func linesFollowEachOther() {
    var json = JSONWriter()
    json.line { $0.member("n", 1) }
    json.line { $0.member("n", 2) }
    #expect(json.takeBytes() == Array("{\"n\":1}\n{\"n\":2}\n".utf8))
    #expect(json.takeBytes().isEmpty)
  }

  @Test func messagesEndWithNUL() {
    var json = JSONWriter()
    json.message { $0.member("n", 1) }
    json.message { $0.member("text", "\u{0}") }
    #expect(json.takeBytes() == Array("{\"n\":1}\0{\"text\":\"\\u0000\"}\0".utf8))
  }

  @Test func integersKeepTheirWholeRange() {
    let text = line { json in
      json.member("least", Int64.min)
      json.member("most", UInt64.max)
    }
    #expect(text == #"{"least":-9223372036854775808,"most":18446744073709551615}"# + "\n")
  }

  @Test(arguments: [
    ("a/b", #"a/b"#),
    (#"say "no" \ yes"#, #"say \"no\" \\ yes"#),
    ("\u{0}\u{1F}\u{7F}", #"\u0000\u001f\u007f"#),
    ("\n\r\t\u{8}\u{C}", #"\n\r\t\b\f"#),
    ("\u{85}\u{9B}31m", #"\u0085\u009b31m"#),
    ("a\u{2028}b\u{2029}c", #"a\u2028b\u2029c"#),
    ("\u{202E}gpj.exe\u{2066}", #"\u202egpj.exe\u2066"#),
    ("\u{FEFF}\u{200B}", #"\ufeff\u200b"#),
    ("\u{E0001}", #"\udb40\udc01"#),
    ("grün 灯 💡", "grün 灯 💡"),
  ])
  func textIsEscaped(text: String, expected: String) {
    #expect(line { $0.member("t", text) } == "{\"t\":\"\(expected)\"}\n")
    #expect(line { $0.member(text, 0) } == "{\"\(expected)\":0}\n")
  }

  @Test func misuseTraps() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.line { $0.string("a value without its key") }
    }
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.line { $0.array { $0.member("key", 1) } }
    }
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.line { $0.message { _ in } }
    }
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.string("no line")
    }
  }
}
