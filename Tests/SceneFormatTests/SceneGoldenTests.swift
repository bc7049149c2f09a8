// SPDX-License-Identifier: GPL-3.0-or-later

import ManifestFormat
import SceneFormat
import TestSupport
import Testing

/// Each file in `Fixtures/bad` holds one kind of mistake; the `.expected` file of the same name holds its diagnostics.
/// With `RECORD_GOLDEN` set, the test rewrites the `.expected` files; read them before you commit them.
@Suite("Mistakes in a scene")
struct SceneGoldenTests {
  static let names = Fixtures.names(in: "bad", ending: ".toml")

  @Test("Each file gives exactly its expected diagnostics", arguments: names)
  func golden(name: String) throws {
    let path = "\(Fixtures.folder)/bad/\(name)"
    let reading = SceneReader.read(text: try Fixtures.bytes(of: path + ".toml"), fileName: "\(name).toml")
    let lines = reading.lines.map { $0 + "\n" }.joined()
    if Fixtures.isRecording { try Fixtures.write(lines, to: path + ".expected") }
    #expect(lines == String(decoding: try Fixtures.bytes(of: path + ".expected"), as: UTF8.self))
    #expect(reading.value == nil)
  }

  @Test("There are more than sixty files, each with a diagnostic")
  func kinds() throws {
    #expect(Self.names.count > 60)
    #expect(Fixtures.names(in: "bad", ending: ".expected") == Self.names)
    for name in Self.names {
      #expect(try !Fixtures.bytes(of: "\(Fixtures.folder)/bad/\(name).expected").isEmpty, "\(name)")
    }
  }
}

@Suite("Damaged scenes")
struct SceneRobustnessTests {
  /// A reading is a scene or errors, never both, and each diagnostic is one printable line.
  private static func expectSound(_ text: [UInt8], _ name: String) {
    let reading = SceneReader.read(text: text, fileName: "scene")
    let hasError = reading.diagnostics.contains { $0.severity == .error }
    let isPrintable = reading.lines.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
    #expect((reading.value == nil) == hasError && isPrintable, "\(name)")
  }

  private static func everyKey() throws -> [UInt8] {
    try Fixtures.bytes(of: Fixtures.folder + "/good/every-key.toml")
  }

  @Test("Every prefix gives a scene or diagnostics")
  func prefixes() throws {
    try withEveryPrefix(of: Self.everyKey()) { text, damage in Self.expectSound(text, "\(damage)") }
  }

  /// The fuzzer flips more.
  @Test("A flipped bit in each byte gives a scene or diagnostics")
  func flippedBits() throws {
    var text = try Self.everyKey()
    for index in text.indices {
      text[index] ^= 1 << (index % 8)
      Self.expectSound(text, "bit \(index % 8) of byte \(index)")
      text[index] ^= 1 << (index % 8)
    }
  }
}
