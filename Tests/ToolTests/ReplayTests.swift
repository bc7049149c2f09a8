// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

@Suite struct ReplayTests {
  private let folder: TemporaryFolder
  private let capture: String
  private let manifest = Package.path("Tests/ToolTests/Fixtures/scene.toml")

  init() throws {
    folder = try TemporaryFolder()
    capture = try folder.file("room.btsnoop", Captures.scene)
  }

  private func replay(_ options: String...) throws -> Tool.Run {
    try Tool.run(["replay", capture, "--manifest", manifest] + options)
  }

  @Test func everyEventIsALine() throws {
    let run = try replay("--json")
    #expect(run.status == 0)
    try expectValid(run.output, "replay")
    try expectGolden(run.output, "replay.json")
  }

  @Test func peopleReadTheSame() throws {
    let run = try replay("--summary")
    try expectGolden(run.output, "replay.text")
  }

  @Test func theSummaryIsTheLastLine() throws {
    let run = try replay("--json", "--summary")
    let events = try replay("--json")
    let last = run.output.dropFirst(events.output.count)
    #expect(run.output.starts(with: events.output))
    try expectValid(Array(last), "replay-summary")
    #expect(String(decoding: last, as: UTF8.self).contains("\"events\":\(events.lines.count),"))
  }

  @Test func whatTheRecorderLostIsSummedUp() throws {
    let path = try folder.file("lossy", Captures.lossy(Captures.scene, drops: 7))
    let json = try Tool.run("replay", path, "--manifest", manifest, "--json", "--summary")
    #expect(json.text.contains(#""recordsCut":1,"recorderDrops":7,"#))
    let text = try Tool.run("replay", path, "--manifest", manifest, "--summary")
    #expect(text.text.contains("recordsCut                1\nrecorderDrops             7\n"))
  }

  @Test func theLinesAreTheSameAtEverySpeed() throws {
    let atOnce = try replay("--json", "--summary", "--seconds", "4")
    for speed in ["40", "10", "1000000"] {
      #expect(try replay("--json", "--summary", "--seconds", "4", "--speed", speed).output == atOnce.output)
    }
  }

  @Test func secondsEndTheReplay() throws {
    let run = try replay("--json", "--seconds", "3.5")
    let whole = try replay("--json")
    #expect(whole.output.starts(with: run.output))
    #expect(run.lines.count < whole.lines.count)
  }

  @Test func realPaceTakesRealTime() throws {
    let start = ContinuousClock.now
    let run = try replay("--json", "--speed", "real", "--seconds", "0.4")
    #expect(ContinuousClock.now - start >= .milliseconds(400))
    #expect(run.output == (try replay("--json", "--seconds", "0.4").output))
  }

  @Test func aReaderThatGoesAwayEndsTheWait() throws {
    let start = ContinuousClock.now
    let run = try Tool.shell(
      #""$TOOL" replay "$1" --manifest "$2" --speed real | head -n 1"#, capture, manifest)
    #expect(run.lines.count == 1)
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func aTornCaptureTellsWhatCameBefore() throws {
    let torn = try folder.file("torn", Array(Captures.scene.dropLast(5)))
    let run = try Tool.run("replay", torn, "--manifest", manifest, "--json", "--summary")
    #expect(run.status == 0 && run.errorOutput.contains("warning: "))
    #expect(run.lines.last?.hasPrefix(#"{"summary":"#) == true)
    #expect(run.errorOutput.contains("ends inside the record"))
  }

  @Test(
    arguments: [
      [0, 0, 0, 0], [1 << 63, 1, 1 << 63, .max], [.max, 0, .max, 1], [9, 3, 1, 2],
      [0, 1 << 62, 0, (1 << 63) - 1],
    ] as [[UInt64]])
  func noClockOfARecorderDoesHarm(times: [UInt64]) throws {
    let path = try folder.file("stamped", Captures.stamped(Captures.scene, times + times))
    for speed in ["max", "1000000"] {
      let run = try Tool.run(
        "replay", path, "--manifest", manifest, "--json", "--seconds", "60", "--speed", speed)
      #expect(run.status == (run.output.isEmpty ? 1 : 0))
      try expectValid(run.output, "replay")
    }
    let decoded = try Tool.run("decode", path, "--json")
    #expect(decoded.lines.count == 8)
    try expectValid(decoded.output, "decode")
    let listed = try Tool.run("sightings", "--all", "--capture", path, "--json")
    try expectValid(listed.output, "sightings")
  }

  @Test func aBadManifestIsSaidLineByLine() throws {
    let bad = try folder.file("bad.toml", "schema = 1\nfrobnicate = 2\n")
    let run = try Tool.run("replay", capture, "--manifest", bad)
    #expect(run.status == 65)
    #expect(run.output.isEmpty)
    #expect(run.errorOutput.hasPrefix("\(bad):2: "))
  }

  @Test func withoutAManifestThereIsNothingToReplay() throws {
    #expect(try Tool.run("replay", capture).status == 64)
  }

  @Test(arguments: [["--speed", "0"], ["--speed", "-1"], ["--seconds", "-1"], ["--seconds", "soon"]])
  func aNumberThatIsNotPositiveIsRefused(option: [String]) throws {
    let run = try Tool.run(["replay", capture, "--manifest", manifest] + option)
    #expect(run.status == 64)
    #expect(run.errorOutput.contains("a positive number"), "\(run.errorOutput)")
  }

  @Test("Nothing found is 1, with the reason", arguments: [[], ["--json"]])
  func nothingFound(option: [String]) throws {
    let bare = try folder.file(
      "bare.toml",
      """
      schema = 1
      [app.a]
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-services = ["1234"]
      [[app.a.item]]
      id = "i"
      name = "I"
      [app.a.item.descriptor]
      bluetooth-service-uuid = "1234"
      """)
    let run = try Tool.run(["replay", capture, "--manifest", bare] + option)
    #expect(run.status == 1 && run.errorOutput.contains("no item of the manifest found a device"))
    let empty = try folder.file("empty.btsnoop", Array(Captures.chain.prefix(16)))
    let decoded = try Tool.run(["decode", empty] + option)
    #expect(decoded.status == 1 && decoded.errorOutput.contains("the capture has no advertising reports"))
  }

  @Test func identityKeysThatOthersReadAreRefused() throws {
    let keys = try folder.file("keys.toml", "schema = 1\n")
    let run = try Tool.shell(
      #"chmod 644 "$3"; "$TOOL" replay "$1" --manifest "$2" --identity-keys "$3""#, capture, manifest, keys)
    #expect(run.status == 77)
    #expect(run.errorOutput.contains("chmod 600"))
    let closed = try Tool.shell(
      #"chmod 600 "$3"; "$TOOL" replay "$1" --manifest "$2" --identity-keys "$3""#, capture, manifest, keys)
    #expect(closed.status == 0)
  }

  @Test func aBoardMovesTheLevels() throws {
    let board = try folder.file("board.toml", "schema = 1\nname = \"deaf\"\nrssi-offset = 20\n")
    let run = try replay("--json", "--board", board)
    #expect(run.status == 0)
    #expect(run.output != (try replay("--json").output))
  }

  @Test func aBoardThatListensPartOfTheTimeStretchesSilences() throws {
    let capture = try folder.file("departed.btsnoop", Captures.departed)
    func replay(_ gateway: String, _ options: String...) throws -> (isLost: Bool, run: Tool.Run) {
      let manifest = try folder.file(
        "board.toml",
        """
        schema = 1
        \(gateway)
        [app.a]
        user = "daemon"
        supports = ["Bluetooth"]
        bluetooth-company-identifiers = ["0x0EEE"]
        [[app.a.item]]
        name = "Bulb"
        descriptor.bluetooth-company-identifier = "0x0EEE"
        """)
      let run = try Tool.run(["replay", capture, "--manifest", manifest, "--json"] + options)
      return (run.text.contains("\"event\":\"lost\""), run)
    }
    let tenth = "schema = 1\nname = \"tenth\"\n[scan]\nlow = { window-ms = 30, interval-ms = 300 }\n"
    let board = try folder.file("tenth.toml", tenth)
    #expect(try replay("").isLost)
    #expect(try !replay("", "--board", board).isLost)
    let unknown = try replay("[gateway]\nboard = \"tenth\"")
    #expect(unknown.isLost && unknown.run.errorOutput.contains("there is no profile of the manifest's board"))
    try FileManager.default.createDirectory(
      atPath: folder.path + "/board", withIntermediateDirectories: false)
    _ = try folder.file("board/tenth.toml", tenth)
    let named = try replay("[gateway]\nboard = \"tenth\"")
    #expect(!named.isLost && named.run.errorOutput.isEmpty, "\(named.run.errorOutput)")
  }

  @Test(.enabled(if: TestData.isPresent, "\(TestData.absence)"), arguments: ["legacy-busy", "extended"])
  func recordedCapturesReplay(name: String) throws {
    let path = TestData.path("captures/\(name).btsnoop")
    let run = try Tool.run("replay", path, "--manifest", Package.path("Config/accessoryd.toml"), "--json")
    #expect(run.status == 0)
    try expectValid(run.output, "replay")
  }
}
