// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Testing

@Suite("A command line", .serialized)
struct CommandLineOptionsTests {
  private static let known: [CommandLineOptions.Option] = [
    .init("manifest", takesValue: true), .init("help", takesValue: false), .init("hear", takesValue: false),
  ]

  private func read(_ arguments: String...) throws(CommandLineOptions.ParseError) -> CommandLineOptions {
    try CommandLineOptions(["program"] + arguments, Self.known)
  }

  @Test("Options come in their order, values behind a blank or an equals sign")
  func values() throws {
    let line = try read("--manifest", "a", "--help", "--manifest=b")
    #expect(line.given.map(\.option) == [0, 1, 0])
    #expect(line.given.map(\.value) == ["a", nil, "b"])
    #expect(line.otherArgument == nil)
    #expect(try read().given.isEmpty)
  }

  @Test("A name may be cut while it is the only one")
  func abbreviation() throws {
    #expect(try read("--man=x").given.map(\.value) == ["x"])
    #expect(throws: CommandLineOptions.ParseError.unknown("--he")) { try read("--he") }
  }

  @Test("An unknown option is reported as it was given")
  func problems() {
    #expect(throws: CommandLineOptions.ParseError.unknown("--nonsense=3")) { try read("--nonsense=3") }
    #expect(throws: CommandLineOptions.ParseError.unknown("-x")) { try read("-x") }
    #expect(throws: CommandLineOptions.ParseError.unknown("--help=3")) { try read("word", "--help=3") }
    #expect(throws: CommandLineOptions.ParseError.withoutValue("--manifest")) {
      try read("--help", "--manifest")
    }
  }

  @Test("An argument that belongs to no option is returned, and so is one after two dashes")
  func words() throws {
    #expect(try read("word", "--help").otherArgument == "word")
    #expect(try read("word", "--help", "other").otherArguments == ["word", "other"])
    #expect(try read("--", "--help").otherArgument == "--help")
  }
}
