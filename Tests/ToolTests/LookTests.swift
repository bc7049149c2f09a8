// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import HCI
import JSON
import TestSupport
import Testing
import Varlink
import VirtualRadio

/// explain, sightings, try and suggest over a capture.
@Suite struct LookTests {
  private let folder: TemporaryFolder
  private let capture: String
  private let manifest = Package.path("Tests/ToolTests/Fixtures/scene.toml")

  init() throws {
    folder = try TemporaryFolder()
    capture = try folder.file("room.btsnoop", Captures.scene)
  }

  private func runOnCapture(_ arguments: String...) throws -> Tool.Run {
    try Tool.run(arguments + ["--capture", capture, "--manifest", manifest])
  }

  /// Text is compared with a golden file, JSON with another and with its schema.
  private func expectBoth(_ arguments: String..., name: String, schema: String, status: Int32) throws {
    let files = ["--capture", capture, "--manifest", manifest]
    let text = try Tool.run(arguments + files)
    let json = try Tool.run(arguments + ["--json"] + files)
    #expect(text.status == status)
    #expect(json.status == status)
    // The lines of a table are as wide as what they say.
    #expect(schema != "explain" || text.lines.allSatisfy { $0.count <= 80 })
    #expect(!text.output.contains(0x1B) && !json.output.contains(0x1B))
    try expectValid(json.output, schema)
    try expectGolden(text.output, "\(name).text")
    try expectGolden(json.output, "\(name).json")
  }

  @Test func aFoundDeviceIsExplained() throws {
    try expectBoth(
      "explain", "C4:64:E3:12:34:56", "--seconds", "5", name: "explain-found", schema: "explain", status: 0)
  }

  @Test func aDeviceThatIsTooFarIsExplained() throws {
    try expectBoth(
      "explain", "c4:64:e3:12:34:56", "--seconds", "2", name: "explain-far", schema: "explain", status: 0)
  }

  @Test func aDeviceThatIsAlmostRightIsExplained() throws {
    try expectBoth(
      "explain", "C0:00:00:00:00:FF", "--seconds", "2", name: "explain-almost", schema: "explain", status: 0)
  }

  @Test func anUnknownDeviceIsExplained() throws {
    try expectBoth("explain", "70:00:00:00:00:01", name: "explain-unknown", schema: "explain", status: 1)
  }

  /// A device that sends its company in one frame and its name in another: no frame satisfies an item that asks for both.
  @Test func clausesThatHoldInDifferentFramesAreNamedWithTheirFrames() throws {
    let capture = try folder.file("split.btsnoop", Captures.split)
    let path = try folder.file("split.toml", Array(Self.splitManifest.utf8))
    let files = ["--capture", capture, "--manifest", path]
    let sentence =
      "each clause holds, but never all in one frame: company-identifier in frame 1, name-substring in frame 2"
    for command in [["explain", "C0:00:00:00:00:07"], ["try", "both"]] {
      let text = try Tool.run(command + files)
      #expect(text.status == 1)
      #expect(words(text).contains(sentence), "\(text.text)")
      let json = try Tool.run(command + ["--json"] + files)
      try expectValid(json.output, command[0])
    }
    let explained = try Tool.run(["explain", "C0:00:00:00:00:07"] + files)
    #expect(explained.text.contains("holds in"))
    // In one frame both hold.
    let whole = try folder.file("whole.btsnoop", Captures.whole)
    let found = try Tool.run(["try", "both", "--capture", whole, "--manifest", path])
    #expect(found.status == 0 && !words(found).contains("never all in one"))
  }

  /// What a run prints, without line ends.
  private func words(_ run: Tool.Run) -> String {
    run.text.split { $0.isWhitespace }.joined(separator: " ")
  }

  private static let splitManifest = """
    schema = 1
    [app.t]
    user = "daemon"
    supports = ["Bluetooth"]
    bluetooth-company-identifiers = ["0x0EEE"]
    bluetooth-names = ["Push"]
    [[app.t.item]]
    id = "both"
    name = "Both"
    descriptor.bluetooth-company-identifier = "0x0EEE"
    descriptor.bluetooth-name-prefix = "Push"
    """

  @Test func whatIsNearIsListed() throws {
    try expectBoth("sightings", "--seconds", "5", name: "sightings", schema: "sightings", status: 0)
    try expectBoth("sightings", "--all", name: "sightings-all", schema: "sightings", status: 0)
  }

  @Test func companiesAreNamedWhereTheSystemHasNames() throws {
    let table = "bluetooth:v0EEE*\n ID_VENDOR_FROM_DATABASE=Lumo \u{1B}[2JWorks\n"
    let path = try folder.file("names.hwdb", table)
    for command in ["sightings --all --capture", "decode"] {
      let run = try Tool.shell(#"ACCESSORYD_VENDORS="$1" "$TOOL" \#(command) "$2""#, path, capture)
      #expect(run.text.contains(#"Lumo \u{1B}[2JWorks"#), "\(command): \(run.text)")
    }
  }

  @Test func anItemIsTried() throws {
    try expectBoth("try", "lights/bulb", "--seconds", "5", name: "try-bulb", schema: "try", status: 0)
    try expectBoth("try", "bulb", "--seconds", "2", name: "try-bulb-far", schema: "try", status: 1)
  }

  @Test("Of an item with Wi-Fi Aware properties alone, try says that nothing searches for it")
  func anItemThatNothingSearches() throws {
    let text = """
      schema = 1
      [app.cameras]
      user = "daemon"
      supports = ["WiFi"]
      [[app.cameras.item]]
      id = "camera"
      name = "Camera"
      descriptor.wifi-aware-service-name = "_cam._tcp"
      """
    let reason = "never has a candidate: nothing on a gateway searches for Wi-Fi Aware"
    let items = Replies.items([("cameras/camera", [#"wifi-aware-service-name = "_cam._tcp""#])])
    let inspected = Message.reply { $0.member("reasonNothingIsFound", reason) }
    let agent = try StandInAgent([], ["Items": items, "Inspect": [inspected]])
    let path = try folder.file("cameras.toml", text)
    for source in [["--capture", capture, "--manifest", path], ["--socket", agent.path]] {
      let run = try Tool.run(["try", "camera"] + source)
      #expect(run.status == 1 && run.output.isEmpty)
      #expect(run.errorOutput.hasPrefix(#"accessoryctl: "camera" \#(reason)"#), "\(run.errorOutput)")
    }
  }

  @Test func anUnknownItemIsNamedWithTheKnownOnes() throws {
    let run = try runOnCapture("try", "lamp\u{1B}")
    #expect(run.status == 1)
    #expect(
      run.errorOutput == """
        accessoryctl: the manifest has no item "lamp\\u{1B}"; name one of: lights/bulb, lights/named, \
        climate/thermometer

        """)
  }

  @Test func anUnknownDeviceIsANo() throws {
    let run = try runOnCapture("explain", "00:00:00:00:00:01")
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.errorOutput.contains("is not in the capture"))
    #expect(try Tool.run("suggest", "00:00:00:00:00:01", "--capture", capture).status == 1)
    #expect(try runOnCapture("explain", "C4:65").status == 1)
  }

  @Test func aDeviceIsNamedAsItCallsItself() throws {
    let byAddress = try runOnCapture("explain", "C4:64:E3:12:34:56")
    for name in ["Lumo bulb", "lumo BULB"] {
      let run = try runOnCapture("explain", name)
      #expect(run.output == byAddress.output && run.status == byAddress.status, "\(run.errorOutput)")
    }
    let unknown = try runOnCapture("explain", "Lumo\u{1B}")
    #expect(unknown.status == 1 && unknown.output.isEmpty)
    #expect(
      unknown.errorOutput.contains(#"no device of the capture calls itself "Lumo\u{1B}"; did you mean "#))
    let files = [
      "--capture", Package.path("Config/demo-scene.btsnoop"), "--manifest",
      Package.path("Config/accessoryd.toml"),
    ]
    let ambiguous = try Tool.run(["explain", "Lumo E27"] + files)
    #expect(ambiguous.status == 64 && ambiguous.output.isEmpty)
    #expect(
      ambiguous.errorOutput.contains(#"4 devices call themselves "Lumo E27": C4:A1:00:00:40:C2 (-45 dBm), "#))
    #expect(ambiguous.errorOutput.hasSuffix("; name one by its address\n"))
  }

  /// An item that looks for networks.
  private static let gate = Replies.items([("cam/gate", [#"ssid-prefix = "Cam-""#])])

  @Test(arguments: [
    ["sightings", "--networks"], ["sightings", "--networks", "--all"], ["explain", "--network", "Cam-1"],
    ["try", "cam/gate"], ["pick", "--app", "cam", "--network", "Cam-1"],
  ])
  func whyNetworksCannotBeReadIsSaid(arguments: [String]) throws {
    let problem = "the interface wlan0 is down"
    guard case .send(let status) = Replies.status(networkProblem: problem),
      case .send(let without) = Replies.status()
    else { return }
    for (status, sentence) in [(status, problem), (without, "[gateway] names no interface")] {
      let answers = [
        "Status": [status], "Items": Self.gate, "Inspect": [Message.reply()], "Networks": [Message.reply()],
        "Open": [PickerSamples.opened, PickerSamples.setUp("Cam"), PickerSamples.empty],
      ]
      let run = try Tool.run(arguments + ["--socket", try StandInAgent([], answers).path])
      #expect(run.errorOutput.contains(sentence), "\(run.errorOutput)")
    }
  }

  @Test func aSuggestionTakesTheNameOfADevice() throws {
    let byAddress = try Tool.run("suggest", "C4:64:E3:12:34:56", "--capture", capture)
    let byName = try Tool.run("suggest", "lumo bulb", "--capture", capture)
    #expect(byName.status == 0 && byName.output == byAddress.output, "\(byName.errorOutput)")
    let unknown = try Tool.run("suggest", "Lumo blub", "--capture", capture)
    #expect(unknown.status == 1)
    #expect(unknown.errorOutput.contains(#"did you mean "Lumo bulb"?"#), "\(unknown.errorOutput)")
  }

  @Test func whatIsMissingNamesEachCure() throws {
    let sightings = try Tool.run("sightings", "--capture", capture)
    #expect(sightings.status == 64 && sightings.errorOutput.contains("or list every device with --all"))
    let manifest = try folder.file(
      "none.toml",
      """
      schema = 1
      [app.lights]
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-company-identifiers = ["0x0ABC"]
      [[app.lights.item]]
      id = "bulb"
      name = "Bulb"
      descriptor.bluetooth-company-identifier = "0x0ABC"

      """)
    let run = try Tool.run("try", "bulb", "--capture", capture, "--manifest", manifest)
    #expect(
      run.status == 1 && run.text.hasSuffix("devices do not match; --all says of each why\n"), "\(run.text)")
  }

  @Test func itemsThatFoundADeviceAreApart() throws {
    let manifest = try folder.file(
      "two.toml",
      """
      schema = 1
      [app.lights]
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-names = ["Lumo"]
      [[app.lights.item]]
      id = "one"
      name = "One"
      descriptor.bluetooth-name-prefix = "Lumo"
      [[app.lights.item]]
      id = "two"
      name = "Two"
      descriptor.bluetooth-name-substring = "Lumo"

      """)
    let run = try Tool.run("sightings", "--capture", capture, "--manifest", manifest)
    let text = run.text.split { $0.isWhitespace }.joined(separator: " ")
    #expect(text.contains("; lights/two: found once"), "\(text)")
  }

  @Test func aDeviceIsNamedInAnySpelling() throws {
    let byAddress = try runOnCapture("explain", "C4:64:E3:12:34:56")
    for address in ["c4-64-e3-12-34-56", "C464E3123456", "c464.e312.3456"] {
      #expect(try runOnCapture("explain", address).output == byAddress.output)
    }
  }

  @Test func onlyTheNearestItemIsExplainedInFull() throws {
    let run = try runOnCapture("explain", "C0:00:00:00:00:FF", "--seconds", "2")
    let whole = try runOnCapture("explain", "C0:00:00:00:00:FF", "--seconds", "2", "--all")
    let far = run.text.split(separator: "\n").filter { $0.hasPrefix("climate/thermometer: ") }
    #expect(far.count == 1 && run.text.hasSuffix(far[0] + "\n"), "\(run.text)")
    #expect(whole.lines.count > run.lines.count && whole.text.contains("\n\n\(far[0])\n"), "\(whole.text)")
  }

  @Test func aKeyInTheReverseOrderIsNamed() throws {
    let device = DeviceAddress(bits: 0x7081_940D_FBAA, type: .random)
    let report = AirReport(.connectable, from: device, rssi: -60, AdvertisingPayload().name("Tag"))
    let capture = try folder.file(
      "private.btsnoop", Captures.capture([(0, ReportEncoder.event(.legacy, report))]))
    let keys = folder.path + "/keys.toml"
    let naming = try folder.file(
      "naming.toml", Array("schema = 1\n[gateway]\nidentity-keys = \"\(keys)\"\n".utf8))
    let files = ["--capture", capture, "--manifest", manifest, "--identity-keys", keys]
    let named = ["explain", "C0:11:22:33:44:55", "--capture", capture, "--manifest", naming]
    #expect(
      try Tool.run(named).errorOutput.contains("the identity keys that the manifest names are left out"))
    for (key, isReversed) in [
      ("9b7d390aa610103405adc857a33402ec", true), ("ec0234a357c8ad05341010a60a397d9b", false),
    ] {
      let text = """
        schema = 1
        [[identity]]
        address = "C0:11:22:33:44:55"
        address-type = "random"
        irk = "\(key)"
        """
      let path = try folder.file("keys.toml", text)
      _ = try Tool.shell(#"chmod 600 "$1""#, path)
      let run = try Tool.run(["explain", isReversed ? "708194-0DFBAA" : "C0:11:22:33:44:55"] + files)
      #expect(run.text.contains("Tag"), "\(run.errorOutput)")
      let sentence =
        "the key of C0:11:22:33:44:55 resolves 70:81:94:0D:FB:AA, which is in sight, only with its bytes in the reverse order"
      #expect(run.errorOutput.contains(sentence) == isReversed, "\(run.errorOutput)")
      let identity = try Tool.run(["explain", "C0:11:22:33:44:55"] + files)
      #expect(identity.errorOutput.contains(sentence) == isReversed, "\(identity.errorOutput)")
      #expect(identity.status == 1 || !isReversed)
      #expect(try Tool.run(named).text.contains("Tag") == !isReversed)
    }
  }

  @Test func aNameThatNoDeviceHasIsANetworksIfAnItemLooksForNetworks() throws {
    let devices = Replies.devices([(0xC4A1_0000_1E27, "Lumo E27")])
    let agent = try StandInAgent(
      [], ["Sightings": devices, "Items": Self.gate, "Networks": [Message.reply()]])
    let run = try Tool.run("explain", "Cam-1", "--socket", agent.path)
    #expect(run.status == 1 && run.text.contains("cam/gate"), "\(run.errorOutput)")
    #expect(run.text.contains("the name matches; no"), "\(run.text)")
    #expect(run.errorOutput.contains(#"no network in sight is named "Cam-1""#))
    let without = try StandInAgent(
      [], ["Sightings": devices, "Items": [Message.reply()], "Networks": [Message.reply()]])
    let unknown = try Tool.run("explain", "Cam-1", "--socket", without.path)
    #expect(unknown.status == 1 && !unknown.errorOutput.contains("network"))
  }

  @Test(arguments: ["C4:64:E3:12:34:56", "A4:C1:38:FE:43:F8", "C0:00:00:00:00:FF"])
  func whatIsSuggestedIsAcceptedAndFindsTheDevice(address: String) throws {
    let run = try Tool.run("suggest", address, "--capture", capture)
    #expect(run.status == 0)
    let path = try folder.file("new.toml", run.output)
    let check = try Tool.shell(#"chmod 644 "$1" && "$TOOL" check "$1""#, path)
    #expect(check.status == 0, "\(check.text)")
    let found = try Tool.run("explain", address, "--capture", capture, "--manifest", path, "--seconds", "5")
    #expect(found.status == 0, "\(run.text)\(found.text)")
  }

  @Test func aSilentDeviceSaysHowLong() throws {
    let capture = try folder.file("silent.btsnoop", Captures.silent)
    let files = ["--capture", capture, "--manifest", manifest]
    let before = try Tool.run(["explain", "C4:64:E3:12:34:56", "--seconds", "6"] + files)
    #expect(
      before.text.contains("0 readings from 10 reports, every 600 ms, last 0 ms ago"), "\(before.text)")
    let after = try Tool.run(["explain", "C4:64:E3:12:34:56"] + files)
    #expect(after.status == 0)
    #expect(after.text.contains("lights/named: found once from 0.000 s to the end"), "\(after.text)")
    #expect(after.text.contains("last 60000 ms ago"), "\(after.text)")
  }

  @Test func clausesAreOfOneAdvertisingSet() throws {
    let capture = try folder.file("sets.btsnoop", Captures.twoSets)
    let run = try Tool.run("suggest", "00:A0:50:12:34:56", "--capture", capture)
    #expect(run.text.replacing("\n# ", with: " ").contains("this is its set 1."), "\(run.text)")
    #expect(!run.text.contains("name-substring"))
    let path = try folder.file("sets.toml", run.output)
    let files = ["--capture", capture, "--manifest", path]
    let found = try Tool.run(["explain", "00:A0:50:12:34:56"] + files)
    #expect(found.status == 0, "\(run.text)\(found.text)")
    #expect(found.text.contains("frame      1 of 2"), "\(found.text)")
    let json = try Tool.run(["explain", "00:A0:50:12:34:56", "--json"] + files)
    #expect(json.text.contains(#""frames":2,"framesHeardSince":1,"#))
    #expect(!json.text.contains("otherFrames"))
    try expectValid(json.output, "explain")
  }

  @Test func anIdentityIsJudgedByTheSetThatMeetsMost() throws {
    let capture = try folder.file("sets.btsnoop", Captures.twoSets)
    let manifest = """
      schema = 1
      [app.new]
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-services = ["184e"]
      bluetooth-names = ["Buds"]
      [[app.new.item]]
      name = "Buds"
      descriptor.bluetooth-service-uuid = "184e"
      descriptor.bluetooth-service-data-blob = "0102"
      descriptor.bluetooth-name-substring = "Buds"
      """
    let path = try folder.file("both.toml", manifest)
    let run = try Tool.run("explain", "00:A0:50:12:34:56", "--capture", capture, "--manifest", path)
    #expect(run.status == 1)
    let places = "service-uuid in frame 1, service-data-blob in frame 1, name-substring in frame 2"
    #expect(words(run).contains("never all in one frame: \(places)"), "\(run.text)\(run.errorOutput)")
  }

  @Test func aSuggestionLeavesOutWhatChanges() throws {
    let run = try Tool.run("suggest", "A4:C1:38:FE:43:F8", "--capture", capture)
    try expectGolden(run.output, "suggest.text")
    let json = try Tool.run("suggest", "A4:C1:38:FE:43:F8", "--capture", capture, "--json")
    try expectValid(json.output, "suggest")
  }

  @Test func aDeviceWithoutKeysCannotBeSuggested() throws {
    let run = try Tool.run("suggest", "70:00:00:00:00:01", "--capture", capture)
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("sends no company, no service and no name that stays"))
  }

  @Test func twoRunsSayTheSame() throws {
    for command in [["sightings", "--all"], ["try", "named"], ["explain", "C0:00:00:00:00:FF"]] {
      let files = ["--json", "--capture", capture, "--manifest", manifest]
      #expect(try Tool.run(command + files).output == (try Tool.run(command + files).output))
    }
  }

  @Test(.enabled(if: TestData.isPresent, "\(TestData.absence)"), arguments: ["legacy-busy", "extended"])
  func everyRecordedDeviceIsExplained(name: String) throws {
    let path = TestData.path("captures/\(name).btsnoop")
    let files = ["--json", "--capture", path, "--manifest", Package.path("Config/accessoryd.toml")]
    let sightings = try Tool.run(["sightings", "--all"] + files)
    try expectValid(sightings.output, "sightings")
    var lines: [UInt8] = []
    for line in sightings.lines {
      let address = line.dropFirst(#"{"address":""#.count).prefix(17)
      lines += try Tool.run(["explain", String(address)] + files).output
    }
    try expectValid(lines, "explain")
  }
}
