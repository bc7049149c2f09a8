// SPDX-License-Identifier: GPL-3.0-or-later

import ManifestFormat
import Setup
import Testing

@Suite("Damaged manifests")
struct ManifestRobustnessTests {
  /// Every reading ends in a manifest or in errors, never in both, and says each thing on one printable line.
  private static func expectSound(_ text: [UInt8], _ name: String) {
    let reading = ManifestReader.read(text: text, fileName: name)
    let hasError = reading.diagnostics.contains { $0.severity == .error }
    #expect((reading.manifest == nil) == hasError, "\(name)")
    let isPrintable = reading.lines.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
    #expect(isPrintable, "\(name)")
  }

  private static let everyKey = Fixtures.folder + "/good/every-key.toml"

  @Test("Every prefix of a manifest with every key gives a value or diagnostics")
  func prefixes() throws {
    let text = try Fixtures.bytes(of: Self.everyKey)
    for end in text.indices { Self.expectSound(Array(text[..<end]), "\(end) bytes") }
  }

  @Test("Every prefix of the example gives a value or diagnostics", arguments: 0..<8)
  func examplePrefixes(share: Int) throws {
    let text = try Fixtures.example()
    for end in stride(from: share, to: text.count, by: 8) {
      Self.expectSound(Array(text[..<end]), "\(end) bytes")
    }
  }

  /// The fuzzer flips more.
  @Test("A flipped bit in each byte gives a value or diagnostics")
  func flippedBits() throws {
    let text = try Fixtures.bytes(of: Self.everyKey)
    for index in text.indices {
      var damaged = text
      damaged[index] ^= 1 << (index % 8)
      Self.expectSound(damaged, "bit \(index % 8) of byte \(index)")
    }
  }

  @Test("A torn file gives one syntax error", arguments: Fixtures.names(in: "torn", ending: ".toml"))
  func torn(name: String) throws {
    let text = try Fixtures.bytes(of: "\(Fixtures.folder)/torn/\(name).toml")
    let reading = ManifestReader.read(text: text, fileName: name)
    #expect(reading.diagnostics.count == 1)
    #expect(reading.diagnostics.first?.keyPath == "")
    #expect(reading.diagnostics.first?.severity == .error)
    Self.expectSound(text, name)
  }

  @Test(
    "A good file gives its manifest without a word",
    arguments: Fixtures.names(in: "good", ending: ".toml"))
  func good(name: String) throws {
    let text = try Fixtures.bytes(of: "\(Fixtures.folder)/good/\(name).toml")
    let reading = ManifestReader.read(text: text, fileName: name)
    #expect(reading.lines == [])
    #expect(reading.manifest != nil)
  }

  @Test("A thousand problems are reported and the rest counted")
  func manyProblems() {
    let keys = (1...1500).map { "unknown-\($0) = 1\n" }.joined()
    let reading = ManifestReader.read(text: Array(("schema = 1\n" + keys).utf8), fileName: "m")
    #expect(reading.lines.count == 1001)
    #expect(reading.lines.first == "m:1: 500 more problems are not shown; fix these first")
  }

  @Test("Warnings beyond a thousand do not refuse a manifest, an error beyond them does")
  func manyWarnings() {
    let names = (1...1500).map { _ in "\"Lumo\"" }.joined(separator: ", ")
    let app = "[app.a]\nuser = \"u\"\nsupports = [\"WiFi\"]\nbluetooth-names = [\(names)]\n"
    let accepted = ManifestReader.read(text: Array(("schema = 1\n" + app).utf8), fileName: "m")
    #expect(accepted.lines.first == "m:1: warning: 499 more problems are not shown; fix these first")
    #expect(accepted.manifest != nil)
    let refused = ManifestReader.read(
      text: Array(("schema = 1\n" + app + "[[app.a.item]]\n").utf8), fileName: "m")
    #expect(refused.lines.first == "m:1: 501 more problems are not shown; fix these first")
    #expect(refused.manifest == nil)
  }

  @Test("A text over 16 MiB is refused unread")
  func tooLong() {
    let text = [UInt8](repeating: UInt8(ascii: "\n"), count: 16 << 20)
    #expect(
      ManifestReader.read(text: text, fileName: "m").lines == [
        "m:1: schema is missing; begin the file with schema = 1"
      ])
    #expect(
      ManifestReader.read(text: text + [UInt8(ascii: "\n")], fileName: "m").lines
        == ["m:1: the file has 16777217 bytes; at most 16777216 are read"])
  }
}
