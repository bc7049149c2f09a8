// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

/// explain, try and sightings say what happened in a whole capture, not what is true at its end.
@Suite struct WholeCaptureTests {
  private let folder: TemporaryFolder
  private let capture: String
  private let manifest: String

  init() throws {
    folder = try TemporaryFolder()
    capture = try folder.file("visits.btsnoop", Self.visits)
    manifest = try folder.file(
      "manifest.toml",
      """
      schema = 1
      [app.beacons]
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-services = ["feaa", "fcd2"]

      [[app.beacons.item]]
      id = "none"
      name = "None"
      descriptor.bluetooth-service-uuid = "fcd2"

      [[app.beacons.item]]
      id = "other"
      name = "Other"
      descriptor.bluetooth-service-uuid = "feaa"
      descriptor.bluetooth-service-data-blob = "0000ffff"

      [[app.beacons.item]]
      id = "uid"
      name = "UID"
      descriptor.bluetooth-service-uuid = "feaa"
      descriptor.bluetooth-service-data-blob = "00"
      descriptor.bluetooth-range = "immediate"

      """)
  }

  /// A beacon that is carried to the gateway five times, for 4 s each, and at last alternates two frames; it ends with
  /// the one that matches nothing. Beside it 26 devices that are something else.
  private static let visits: [UInt8] = {
    var packets: [(Int64, [UInt8])] = []
    for step in Int64(0)..<1000 {
      let level: Int8 = step % 200 >= 40 && step % 200 < 80 ? -38 : -78
      let payload = AdvertisingPayload().serviceData(
        eddystone, step < 950 || step % 2 == 0 ? [0, 0xEE, 1, 2] : [0x20, 0, 3, 4])
      packets.append((step * 100, report(Captures.bulb, level, payload)))
    }
    for index in UInt64(0)..<26 {
      let address = DeviceAddress(bits: 0xC0DE_0000_0000 + index, type: .random)
      packets.append((Int64(index) * 1000 + 1, report(address, -60, AdvertisingPayload().flags(6))))
    }
    return Captures.capture(packets.sorted { $0.0 < $1.0 })
  }()

  private static let eddystone = BluetoothUUID(short: 0xFEAA)
  private static let beacon = "C4:64:E3:12:34:56"

  private static func report(_ address: DeviceAddress, _ level: Int8, _ payload: AdvertisingPayload)
    -> [UInt8]
  {
    ReportEncoder.event(.legacy, AirReport(.nonConnectable, from: address, rssi: level, payload))
  }

  private func run(_ arguments: String..., on capture: String? = nil) throws -> Tool.Run {
    try Tool.run(arguments + ["--capture", capture ?? self.capture, "--manifest", manifest])
  }

  @Test("explain says how often a device was let in, although it ends with a frame that does not match")
  func explained() throws {
    let run = try run("explain", Self.beacon)
    #expect(run.status == 0)
    #expect(run.text.contains("\nbeacons/uid: let in 5 times, first 5."), "\(run.text)")
    #expect(run.text.contains("  frame 1   "))
    #expect(run.text.contains("            matches beacons/uid\n"))
    let json = try self.run("explain", Self.beacon, "--json")
    try expectValid(json.output, "explain")
    #expect(json.text.contains(#""history":{"count":5,"firstFound":5."#))
  }

  @Test("explain begins with the nearest item")
  func nearest() throws {
    let run = try run("explain", Self.beacon)
    let headings = run.lines.filter { $0.hasPrefix("beacons/") }.map { $0.prefix { $0 != ":" } }
    #expect(headings == ["beacons/uid", "beacons/other", "beacons/none"])
  }

  @Test("try prints what it found, then near misses, then how many others there are")
  func tried() throws {
    let found = try run("try", "uid")
    #expect(found.status == 0)
    #expect(found.lines.count == 2)
    #expect(found.lines[0].hasPrefix("yes  C4:64:E3:12:34:56"))
    #expect(found.lines[0].contains("let in 5 times, first 5."))
    #expect(found.lines[1] == "26 other devices do not match")
    let near = try run("try", "other")
    #expect(near.status == 1)
    #expect(near.lines.map { $0.prefix(22) } == ["no   C4:64:E3:12:34:56", "26 other devices do no"])
    let none = try run("try", "none")
    #expect(none.text == "27 devices do not match; --all says of each why\n")
    #expect(try run("try", "none", "--all").lines.count == 27)
    try expectValid(try run("try", "uid", "--json").output, "try")
  }

  @Test("sightings lists a device that an item found and lost again")
  func listed() throws {
    let run = try run("sightings")
    #expect(run.status == 0)
    let words = run.text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(words.contains("beacons/uid: found 5 times, first 5."), "\(run.text)")
    try expectValid(try self.run("sightings", "--all", "--json").output, "sightings")
  }

  @Test("A truncated capture gives its result with a warning; without a result it is an error")
  func truncated() throws {
    let torn = try folder.file("torn.btsnoop", Array(Self.visits.dropLast(3)))
    for arguments in [["explain", Self.beacon], ["try", "uid"], ["sightings"]] {
      let run = try Tool.run(arguments + ["--capture", torn, "--manifest", manifest])
      #expect(run.status == 0, "\(arguments)")
      #expect(
        run.errorOutput.hasPrefix("accessoryctl: warning: \"\(torn)\": the capture ends inside the record"))
    }
    let suggested = try Tool.run("suggest", Self.beacon, "--capture", torn)
    #expect(suggested.status == 0)
    #expect(suggested.errorOutput.contains("warning: \"\(torn)\": the capture ends inside the record"))
    #expect(try run("explain", "00:00:00:00:00:01", on: torn).status == 65)
    #expect(try Tool.run("suggest", "00:00:00:00:00:01", "--capture", torn).status == 65)
    let empty = try folder.file("empty.btsnoop", Array(Self.visits.prefix(30)))
    for arguments in [["explain", Self.beacon], ["try", "uid"], ["sightings"]] {
      #expect(try Tool.run(arguments + ["--capture", empty, "--manifest", manifest]).status == 65)
    }
  }

  @Test("A strong device that sends too seldom can never enter, whatever else is true at the end")
  func slow() throws {
    let payload = AdvertisingPayload().serviceData(Self.eddystone, [0, 0xEE, 1, 2])
    let packets = (0..<20).map { (Int64($0) * 7000, Self.report(Captures.bulb, -35, payload)) }
    let slow = try folder.file("slow.btsnoop", Captures.capture(packets))
    for command in [["explain", Self.beacon], ["try", "uid"]] {
      let run = try Tool.run(command + ["--capture", slow, "--manifest", manifest])
      #expect(run.status == 1)
      #expect(run.text.contains("matches, but can never enter: it sends every"), "\(run.text)")
    }
  }

  @Test("explain shows the frame that has what the item asks for, though with another value")
  func nearestFrame() throws {
    let frames = [
      AdvertisingPayload().serviceData(Self.eddystone, [0x20, 0, 3, 4]), AdvertisingPayload().flags(6),
    ]
    let packets = (0..<20).map { (Int64($0) * 100, Self.report(Captures.bulb, -60, frames[$0 % 2])) }
    let capture = try folder.file("frames.btsnoop", Captures.capture(packets))
    let run = try run("explain", Self.beacon, on: capture)
    #expect(run.text.contains("\nbeacons/none: service-uuid: another is advertised"), "\(run.text)")
  }

  @Test("explain and try name the key for a frame that comes more seldom than the item waits")
  func rareFrame() throws {
    var packets: [(Int64, [UInt8])] = []
    for second in Int64(0)..<120 {
      let bytes: [UInt8] = second % 40 == 0 ? [0, 0xEE, 1, 2] : [0x20, 0, 3, 4]
      let payload = AdvertisingPayload().serviceData(Self.eddystone, bytes)
      packets.append((second * 1000, Self.report(Captures.bulb, -60, payload)))
    }
    let rare = try folder.file("rare.btsnoop", Captures.capture(packets))
    let waiting = try folder.file(
      "waiting.toml",
      """
      schema = 1
      [app.beacons]
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-services = ["feaa"]
      [[app.beacons.item]]
      id = "uid"
      name = "UID"
      descriptor.bluetooth-service-uuid = "feaa"
      descriptor.bluetooth-service-data-blob = "00"

      """)
    let sentence =
      "lost 3 times while it sent other frames: raise gate.lost-ms if the one that matches comes more seldom"
    for command in [["explain", Self.beacon], ["try", "uid"]] {
      let run = try Tool.run(command + ["--capture", rare, "--manifest", waiting])
      let words = run.text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      #expect(words.contains(sentence), "\(run.text)")
    }
    let json = try Tool.run("explain", Self.beacon, "--json", "--capture", rare, "--manifest", waiting)
    try expectValid(json.output, "explain")
    #expect(json.text.contains(#""lossesToOtherFrames":3"#))
  }

  @Test("A capture says nothing about an item that is found by its network")
  func network() throws {
    let networks = try folder.file(
      "networks.toml",
      """
      schema = 1
      [gateway]
      wifi = "wlan0"
      [app.cameras]
      user = "daemon"
      supports = ["WiFi"]
      [[app.cameras.item]]
      name = "Camera"
      descriptor.ssid-prefix = "Cam-"

      """)
    let run = try Tool.run("try", "camera", "--capture", capture, "--manifest", networks)
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errorOutput
        == "accessoryctl: \"camera\" looks for a network, and --capture has what Bluetooth devices sent; "
        + "ask the agent, which looks for networks\n")
  }

  @Test("An empty result gives its reason on standard error")
  func reasons() throws {
    let header = try folder.file("header.btsnoop", Array(Self.visits.prefix(16)))
    for (arguments, reason) in [
      (["sightings", "--all", "--capture", header], "no device has been heard in the capture"),
      (
        ["sightings", "--capture", header, "--manifest", manifest],
        "no device matches an item of the manifest"
      ),
      (["try", "uid", "--capture", header, "--manifest", manifest], "no device has been heard"),
      (["explain", Self.beacon, "--capture", header, "--manifest", manifest], "is not in the capture"),
    ] {
      let run = try Tool.run(arguments)
      #expect(run.status == 1)
      #expect(run.output.isEmpty && run.errorOutput.contains(reason), "\(run.errorOutput)")
    }
    let replay = try Tool.run("replay", header, "--manifest", manifest)
    #expect(replay.status == 1)
    #expect(replay.errorOutput.contains("no item of the manifest found a device"))
    let decode = try Tool.run("decode", header, "--json")
    #expect(decode.status == 1)
    #expect(decode.errorOutput.contains("no advertising reports"))
  }
}
