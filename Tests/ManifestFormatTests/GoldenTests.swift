// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import ManifestFormat
import Testing

/// Each file in `Fixtures/bad` holds one kind of mistake; the file of the same name beside it, everything that the
/// check says about it. With `RECORD_GOLDEN` set the second is written again; read it before you commit it.
@Suite("Mistakes in a manifest")
struct GoldenTests {
  static let names = Fixtures.names(in: "bad", ending: ".toml")

  /// A system with two accounts.
  private static let accounts = AccountDirectory(operators: { $0 == "anna" }) { account in
    switch account.name {
    case "root": .known(id: 0)
    case "lights": .known(id: 990)
    case "anna": .known(id: 1000)
    case "nobody": .known(id: 65_534)
    default: .unknown
    }
  }

  @Test("Each gives exactly the diagnostics that stand beside it", arguments: names)
  func golden(name: String) throws {
    let path = "\(Fixtures.folder)/bad/\(name)"
    let reading = ManifestReader.read(
      text: try Fixtures.bytes(of: path + ".toml"), fileName: "\(name).toml", accounts: Self.accounts)
    let lines = reading.lines.map { $0 + "\n" }.joined()
    if Fixtures.isRecording { try Fixtures.write(lines, to: path + ".expected") }
    #expect(lines == String(decoding: try Fixtures.bytes(of: path + ".expected"), as: UTF8.self))
    #expect((reading.manifest == nil) == reading.diagnostics.contains { $0.severity == .error })
  }

  @Test("There are more than fifty kinds, each with something said about it")
  func kinds() throws {
    #expect(Self.names.count > 50)
    #expect(Fixtures.names(in: "bad", ending: ".expected") == Self.names)
    for name in Self.names {
      #expect(try !Fixtures.bytes(of: "\(Fixtures.folder)/bad/\(name).expected").isEmpty, "\(name)")
    }
  }
}
