// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Testing

@Suite("A command line", .serialized)
struct CommandLineOptionsTests {
  private static let known: [CommandLineOptions.Option] = [
    .init("manifest", takesValue: true), .init("help", takesValue: false), .init("hear", takesValue: false),
  ]

  private func read(_ words: String...) throws(CommandLineOptions.Problem) -> CommandLineOptions {
    try CommandLineOptions(["program"] + words, Self.known)
  }

  @Test("Options come in their order, values behind a blank or an equals sign")
  func values() throws {
    let line = try read("--manifest", "a", "--help", "--manifest=b")
    #expect(line.given.map(\.option) == [0, 1, 0])
    #expect(line.given.map(\.value) == ["a", nil, "b"])
    #expect(line.otherWord == nil)
    #expect(try read().given.isEmpty)
  }

  @Test("A name may be cut while it is the only one")
  func abbreviation() throws {
    #expect(try read("--man=x").given.map(\.value) == ["x"])
    #expect(throws: CommandLineOptions.Problem.unknown("--he")) { try read("--he") }
  }

  @Test("What is not understood is named as it was given")
  func problems() {
    #expect(throws: CommandLineOptions.Problem.unknown("--nonsense=3")) { try read("--nonsense=3") }
    #expect(throws: CommandLineOptions.Problem.unknown("-x")) { try read("-x") }
    #expect(throws: CommandLineOptions.Problem.unknown("--help=3")) { try read("word", "--help=3") }
    #expect(throws: CommandLineOptions.Problem.withoutValue("--manifest")) {
      try read("--help", "--manifest")
    }
  }

  @Test("A word that belongs to no option is told, and so is what follows two dashes")
  func words() throws {
    #expect(try read("word", "--help").otherWord == "word")
    #expect(try read("--", "--help").otherWord == "--help")
  }
}
