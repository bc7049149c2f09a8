// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// How the tool behaves as a program: exit statuses, streams, help.
@Suite struct ConductTests {
  @Test func aMissingFileIsSaidInOneSentence() throws {
    let run = try Tool.run("decode", "/nowhere/room.btsnoop")
    #expect(run.status == 66)
    #expect(run.output.isEmpty)
    #expect(
      run.errorOutput == """
        accessoryctl: cannot read "/nowhere/room.btsnoop": there is no such file; check the name, or the directory \
        you are in

        """)
  }

  @Test func aDirectoryIsNoFile() throws {
    let run = try Tool.run("decode", "/tmp")
    #expect(run.status == 66)
    #expect(run.errorOutput == "accessoryctl: cannot read \"/tmp\": it is a directory; name a file in it\n")
  }

  @Test func anotherFormatIsNamed() throws {
    let folder = try TemporaryFolder()
    let run = try Tool.run("decode", folder.file("x", "not a capture, surely"))
    #expect(run.status == 65)
    #expect(run.output.isEmpty)
    #expect(run.errorOutput.contains("not a btsnoop capture"))
    #expect(try Tool.run("decode", folder.file("empty", [])).status == 65)
  }

  @Test func aHostileFileNameIsEscaped() throws {
    let run = try Tool.run("decode", "/nowhere/\u{1B}[2J\u{202E}")
    #expect(run.errorOutput.hasPrefix(#"accessoryctl: cannot read "/nowhere/\u{1B}[2J\u{202E}": "#))
  }

  @Test func aReaderThatStopsEarlyIsNoError() throws {
    let capture = try TemporaryFolder()
    let path = try capture.file("capture", Captures.everyReport)
    let run = try Tool.shell(#"{ "$TOOL" decode --json "$1"; echo "status $?" >&2; } | :"#, path)
    #expect(run.errorOutput == "status 0\n")
  }

  @Test func aFullDiskIsAnError() throws {
    let folder = try TemporaryFolder()
    let run = try Tool.shell(
      #""$TOOL" decode "$1" > /dev/full"#, folder.file("capture", Captures.everyReport))
    #expect(run.status == 74)
    #expect(run.errorOutput.hasPrefix("accessoryctl: cannot write the output: No space left on device"))
  }

  @Test func closedOutputIsAnError() throws {
    let folder = try TemporaryFolder()
    let run = try Tool.shell(#""$TOOL" decode "$1" >&-"#, folder.file("capture", Captures.everyReport))
    #expect(run.status == 74)
  }

  @Test func standardInputIsReadByItsName() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("capture", Captures.everyReport)
    let run = try Tool.shell(#"cat "$1" | "$TOOL" decode --json -"#, path)
    #expect(run.status == 0)
    #expect(run.output == (try Tool.run("decode", "--json", path).output))
  }

  @Test func aWrongCommandLineIsUsage() throws {
    #expect(try Tool.run("decode").status == 64)
    #expect(try Tool.run("decode", "a", "b").status == 64)
    #expect(try Tool.run("frobnicate").status == 64)
  }

  @Test(
    arguments: [[]]
      + [
        "status", "sightings", "watch", "explain", "try", "check", "suggest", "reload", "metrics", "report",
        "capture",
        "decode", "replay", "pick", "calibrate",
      ].map { [$0] })
  func helpIsForPeople(command: [String]) throws {
    let run = try Tool.run(command + ["--help"])
    #expect(run.status == 0)
    #expect(run.text.contains("Example"))
    #expect(run.lines.allSatisfy { !$0.hasSuffix("\\") || $0.contains("--capture") })
    #expect(run.lines.allSatisfy { $0.count <= 80 })
    // btmon prints its banner into the same stream.
    #expect(!run.text.contains("btmon -w /dev/stdout"))
  }

  @Test("An unknown command is named, with the nearest one", arguments: [[], ["help"]])
  func unknownCommand(before: [String]) throws {
    for (words, sentence) in [
      (["sightigns"], #"there is no command "sightigns"; did you mean sightings? accessoryctl --help lists"#),
      (["lisst", "--json"], #"there is no command "lisst"; did you mean list? accessoryctl --help lists"#),
      (["satuts"], #"there is no command "satuts"; did you mean status? accessoryctl --help lists"#),
      (["forget"], #"there is no command "forget"; did you mean remove? accessoryctl --help lists"#),
      (["nonexist"], #"there is no command "nonexist"; accessoryctl --help lists the commands"#),
      (["registry", "exportt"], #"did you mean export? accessoryctl registry --help lists the commands"#),
    ] {
      let run = try Tool.run(before + words)
      #expect(run.status == 64 && run.output.isEmpty)
      #expect(run.errorOutput.contains(sentence), "\(run.errorOutput)")
    }
    #expect(try Tool.run(before + ["registry", "export", "--help"]).status == 0)
  }

  @Test("The help lists the commands by groups")
  func groups() throws {
    let help = try Tool.run("--help").text
    let titles = ["ACCESSORIES SUBCOMMANDS:", "DEVICES SUBCOMMANDS:", "CAPTURES SUBCOMMANDS:"]
    #expect(titles.allSatisfy(help.contains), "\(help)")
    #expect(try Tool.run("help", "watch").text.hasPrefix("OVERVIEW: Show devices"))
  }

  @Test func theVersionIsSaid() throws {
    #expect(try Tool.run("--version").text.hasPrefix("accessoryctl 0."))
  }
}

/// Colour is for terminals whose owner wants it.
@Suite struct ColourTests {
  private func terminal(_ environment: String) throws -> String {
    let folder = try TemporaryFolder()
    let path = try folder.file("capture", Captures.everyReport)
    let command = #"\#(environment) script -qec "'$TOOL' decode '$1'" /dev/null"#
    return try Tool.shell(command, path).text
  }

  @Test func aTerminalGetsColour() throws {
    let text = try terminal("env")
    #expect(text.contains("\u{1B}[1mC4:64"))
  }

  @Test func noColorIsRespected() throws {
    let text = try terminal("NO_COLOR=1")
    #expect(text.contains("C4:64"))
    #expect(!text.contains("\u{1B}"))
  }

  @Test func aTerminalThatKnowsNoColorGetsNone() throws {
    let text = try terminal("TERM=dumb")
    #expect(text.contains("C4:64"))
    #expect(!text.contains("\u{1B}"))
  }

  @Test func aPipeGetsNone() throws {
    let folder = try TemporaryFolder()
    let run = try Tool.run("decode", folder.file("capture", Captures.everyReport))
    #expect(!run.output.contains(0x1B))
  }
}
