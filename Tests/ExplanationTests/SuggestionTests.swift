// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Explanation
import HCI
import JSON
import Manifest
import ManifestEdits
import ManifestFormat
import Suggestions
import TestSupport
import Testing
import VirtualRadio

/// Items that `suggest` writes from the first half of what a device sent find the device in the second half too.
@Suite struct SuggestionTests {
  /// Reports of each frame, half of which the suggestion sees.
  private static let count = 80

  @Test(
    "A device of a known layout is found by frame and model, also with other readings",
    arguments: MadeDevice.families)
  func knownLayout(device: MadeDevice) throws {
    let packets = device.packets(Self.count)
    let (first, second) = (Array(packets[..<(packets.count / 2)]), Array(packets[(packets.count / 2)...]))
    let suggestion = try #require(
      Suggesting.suggestion(for: device.address, first + Suggesting.room(besides: device)))
    #expect(suggestion.descriptor.clauseText == device.wanted, "\(suggestion.item.manifest)")
    #expect(suggestion.notes.first?.hasPrefix("Its layout is ") == true)
    #expect(suggestion.item.manifest.contains("# From \(first.count) reports of "))
    try Suggesting.expectFound(suggestion, in: first, second)
    #expect(!suggestion.descriptor.repeats(device.addressBytes), "\(suggestion.item.manifest)")
    #expect(
      suggestion.warnings.contains { $0.contains("changes its address") }
        == (device.address.lifetime != .durable))
  }

  @Test("Where every report of BTHome is an event, the item says so, and what it costs is known")
  func button() throws {
    let button = MadeDevice("button", "S fcd2 44 00 @@ 3a ##", wanted: "", at: 0xC47A_9D3B_52E1)
    let sensor = MadeDevice(
      "sensor", "S fcd2 44 00 @@ 3a ##", "S fcd2 40 00 @@ 01 ##", wanted: "", at: 0xC47A_9D3B_52E2)
    for (device, isOnEvents) in [(button, true), (sensor, false)] {
      let suggestion = try #require(Suggesting.suggestion(for: device.address, device.packets(30)))
      let reading = ManifestReader.read(text: Array(suggestion.item.manifest.utf8), fileName: "new.toml")
      #expect(reading.manifest?.apps[0].items[0].sendsOnlyOnEvents == isOnEvents)
      #expect(suggestion.notes.contains { $0.contains("only on an event") } == isOnEvents)
      try Suggesting.expectFound(suggestion, in: device.packets(30))
    }
  }

  @Test("The families are many, and their readings change")
  func families() {
    #expect(MadeDevice.families.count >= 30)
    #expect(Set(MadeDevice.families.map(\.address)).count == MadeDevice.families.count)
    for device in MadeDevice.families where !["iBeacon", "SwitchBot bot, old"].contains(device.title) {
      let packets = device.packets(Self.count)
      #expect(
        Set(packets.prefix(packets.count / 2)).isDisjoint(with: packets.suffix(20)) || device.frames.count > 1
      )
    }
  }

  @Test(
    "Every recorded device with at least 20 reports is found in the second half of its recording",
    .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)),
    arguments: ["legacy-busy", "extended"])
  func recordedDevices(name: String) throws {
    let packets = CaptureReading(try TestData.bytes("captures/\(name).btsnoop")).records.compactMap(\.packet)
    let decoded = packets.map { Suggesting.decoded([$0]) }
    let reports = zip(packets, decoded).flatMap { packet, reports in
      Set(reports.map(\.header.address)).map { (packet, $0) }
    }
    let addresses = Dictionary(grouping: reports, by: \.1).filter {
      $0.value.count >= 20 && $0.key.type != .anonymous
    }
    #expect(addresses.count == (name == "legacy-busy" ? 29 : 10))
    for (address, reports) in addresses {
      let own = reports.map(\.0)
      let (first, second) = (Array(own[..<(own.count / 2)]), Array(own[(own.count / 2)...]))
      let heard = Suggesting.decoded(first).filter { $0.header.address == address }
      let others = decoded.joined().filter { $0.header.address != address }
      guard let suggestion = Suggesting.suggestion(for: address, from: heard + others) else {
        #expect(!heard.contains { $0.fields?.hasKey ?? false }, "\(address.text ?? "")")
        continue
      }
      try Suggesting.expectFound(suggestion, in: first, second)
    }
  }

  @Test(
    "Every device of the users' reports is found in the second half of its reports",
    .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)))
  func usersReports() throws {
    var count = 0
    for example in try TestData.records("reports/cases.jsonl", as: ReportedCase.self) {
      // Each half of one has a format of its own.
      for address in Set(example.events.map(\.address)) where example.id != "reflashed" {
        let own = example.events.filter { $0.address == address }.map(\.packet)
        let others = example.events.filter { $0.address != address }.map(\.packet)
        let (first, second) = (Array(own[..<(own.count / 2)]), Array(own[(own.count / 2)...]))
        guard let suggestion = Suggesting.suggestion(for: address, first + others) else {
          Issue.record("\(example.id): no item for \(address.text ?? "")")
          continue
        }
        for packets in [first, second, own] {
          #expect(
            try Suggesting.run(suggestion, packets) == .init(found: 1, lost: 0), "\(suggestion.item.manifest)"
          )
        }
        count += 1
      }
    }
    #expect(count >= 20)
  }

  @Test("An unknown device gets the shortest clause that tells its kind from the others")
  func unknownLayout() throws {
    let lamp = MadeDevice("lamp", "M 0eee 01 07 ## ##", wanted: "0eee 0107", at: 0xC4A1_0000_0001)
    let socket = MadeDevice("socket", "M 0eee 01 09 ## ## ##", wanted: "", at: 0xC4A1_0000_0002)
    let other = MadeDevice("other", "M 0fff 01 07 ## ##", wanted: "", at: 0xC4A1_0000_0003)
    #expect(Suggesting.suggestion(of: lamp, among: [other])?.descriptor.clauseText == "0eee")
    #expect(Suggesting.suggestion(of: lamp, among: [other, socket])?.descriptor.clauseText == lamp.wanted)
    let named = MadeDevice("named", "M 0eee 01 09 ## ## ; N Lumo", wanted: "", at: 0xC4A1_0000_0004)
    #expect(Suggesting.suggestion(of: named, among: [lamp, socket])?.descriptor.clauseText == "0eee Lumo")
  }

  @Test("The note counts the other devices that the item tells it from: none, one, several")
  func others() throws {
    let lamp = MadeDevice("lamp", "M 0eee 01 07 ## ##", wanted: "", at: 0xC4A1_0000_0001)
    let socket = MadeDevice("socket", "M 0fff 01 09 ## ##", wanted: "", at: 0xC4A1_0000_0002)
    let third = MadeDevice("third", "M 0ddd 01 07 ## ##", wanted: "", at: 0xC4A1_0000_0003)
    let twin = MadeDevice("twin", "M 0eee 01 07 ## ##", wanted: "", at: 0xC4A1_0000_0004)
    let relative = MadeDevice("relative", "M 0eee 01 07 ## ## ##", wanted: "", at: 0xC4A1_0000_0005)
    let least = "The item asks for the least that tells it from "
    for (others, sentence) in [
      ([], "No other device is in sight to tell it from."),
      ([socket], least + "the other device in sight."),
      ([socket, third], least + "the 2 other devices in sight."),
      ([socket, relative], least + "1 of the 2 other devices in sight."),
      ([relative], "The other device in sight sends nothing that tells the two apart."),
      ([twin], "No device of another kind is in sight to tell it from."),
    ] {
      let suggestion = try #require(Suggesting.suggestion(of: lamp, among: others))
      #expect(suggestion.notes.contains("Its layout is not known. " + sentence), "\(suggestion.notes)")
    }
  }

  @Test("A device that sends nothing but a name is found by how that begins")
  func nameAlone() throws {
    let meter = MadeDevice("meter", "N GVH5075 ~", wanted: "GVH5075 ", at: 0xC4A1_0000_4F2A)
    let other = MadeDevice("other", "N Lumo", wanted: "", at: 0xC4A1_0000_0002)
    let suggestion = try #require(Suggesting.suggestion(of: meter, among: [other]))
    #expect(suggestion.descriptor.clauseText == meter.wanted)
    #expect(suggestion.item.manifest.contains("descriptor.bluetooth-name-prefix = \"GVH5075 \"\n"))
    #expect(suggestion.notes.first?.contains("the name alone") == true)
    try Suggesting.expectFound(suggestion, in: meter.packets(20))
  }

  @Test("Bytes that changed in any device of the company are readings")
  func readings() {
    let steady = MadeDevice("steady", "M 0eee 01 15 20 64", wanted: "", at: 0xC4A1_0000_0001)
    let restless = MadeDevice("restless", "M 0eee 01 ## ## ## ##", wanted: "", at: 0xC4A1_0000_0002)
    let suggestion = Suggesting.suggestion(of: steady, among: [restless])
    #expect(suggestion?.descriptor.clauseText == "0eee")
    #expect(
      suggestion?.warnings.last == "The item also finds 1 other device in sight: C4:A1:00:00:00:02.")
  }

  @Test("Neither data nor names repeat the device's own address", arguments: ["A", "a", "a1b2c3", "c3b2a1"])
  func ownAddress(bytes: String) throws {
    let device = MadeDevice("own", "M 0eee \(bytes) 0102 ; N Lumo ~", wanted: "", at: 0xC4D7_E6A1_B2C3)
    let twin = MadeDevice("twin", "M 0eee 998877665544 0304 ; N Lumo 7777", wanted: "", at: 0xC4D7_E6A1_0000)
    let suggestion = try #require(Suggesting.suggestion(of: device, among: [twin]))
    #expect(!suggestion.descriptor.repeats(device.addressBytes), "\(suggestion.item.manifest)")
    #expect(suggestion.descriptor.nameSubstring.map { $0 == Array("Lumo ".utf8) } ?? true)
  }

  @Test(
    "The note names what is asked for, and not what changed",
    arguments: [
      ("M 004c 0215 ######## ######## ######## ######## 0001 0002 c5", "004c 0215", "the proximity UUID"),
      (
        "M 0118 beac ######## ######## ######## ######## 00010002 c5 01", "0118 beac",
        "the identifier of the organisation"
      ),
      ("U feaa ; S feaa 00 ee #### ######## ######## 0a0b0c0d0e0f", "feaa 00", "the namespace"),
      ("U feaa ; S feaa 10 ee ## 676f6f2e676c 2f", "feaa 10", "the host of the URL"),
      ("S fe95 5020 #### @@ a 04 10 02 ####", "fe95", "the product identifier"),
      ("M 0499 ## #### #### #### #### #### #### ####", "0499", "the data format"),
    ])
  func changedField(frame: String, wanted: String, field: String) throws {
    let device = MadeDevice("changing", frame, wanted: wanted, at: 0xC4A1_0000_0001)
    let packets = device.packets(60)
    let suggestion = try #require(Suggesting.suggestion(for: device.address, packets))
    #expect(suggestion.descriptor.clauseText == wanted, "\(suggestion.item.manifest)")
    let note = suggestion.notes.first { $0.hasPrefix("The item asks for ") } ?? ""
    #expect(note.contains(" alone, because \(field) does not stay the same; "), "\(suggestion.notes)")
    #expect(try Suggesting.run(suggestion, packets) == .init(found: 1, lost: 0))
  }

  @Test("Of a field some bytes of which change the item asks for the others, and says so")
  func partOfField() throws {
    let device = MadeDevice(
      "part", "M 004c 0215 e2c56db5dffb48d2b060d0f5 ######## 0001 0002 c5", wanted: "", at: 0xC4A1_0000_0001)
    let suggestion = try #require(Suggesting.suggestion(for: device.address, device.packets(60)))
    #expect(suggestion.descriptor.clauseText == "004c 0215e2c56db5dffb48d2b060d0f5")
    #expect(
      suggestion.notes.contains { $0.contains("the bytes of the proximity UUID that stay the same; ") },
      "\(suggestion.notes)")
  }

  @Test("Few reports are a warning, and so is what stands only in a scan response")
  func warnings() throws {
    let device = MadeDevice(
      "meter", "M 0969 A @@ ## ######", "R: S fd3d 69 00 ## ######", wanted: "", at: 0xC4F9_2675_5501)
    let curtain = MadeDevice("curtain", "M 0969 A @@ ####", wanted: "", at: 0xC4F9_2675_5502)
    let few = try #require(Suggesting.suggestion(for: device.address, device.packets(9) + curtain.packets(9)))
    #expect(few.warnings.first?.hasPrefix("18 reports are too few to see which bytes change") == true)
    #expect(few.warnings.last?.contains("scan = \"active\"") == true)
    let enough = try #require(
      Suggesting.suggestion(for: device.address, device.packets(10) + curtain.packets(10)))
    #expect(enough.warnings.count == 1)
    #expect(enough.item.manifest.contains("# Warning: What the item asks for stands in the scan response"))
    // Alone in sight, it is found without a scan response.
    let alone = try #require(Suggesting.suggestion(for: device.address, device.packets(10)))
    #expect(alone.descriptor.clauseText == "0969" && alone.warnings.isEmpty)
  }
}

extension AdvertisementFields {
  /// Whether an item could find the device.
  fileprivate var hasKey: Bool { !manufacturerData.isEmpty || !serviceData.isEmpty || !services.isEmpty }
}

/// A line of `reports/cases.jsonl`.
private struct ReportedCase: Decodable {
  /// A legacy report.
  struct Event: Decodable {
    let address: DeviceAddress
    let packet: [UInt8]

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      _ = try values.decode(Double.self)
      let form = try values.decode(String.self)
      let event = try values.decode(UInt8.self)
      let type = try values.decode(UInt8.self)
      let bytes = try hex(values.decode(String.self).filter { $0 != ":" })
      let data = try hex(values.decode(String.self))
      let rssi = try values.decode(Int8.self)
      #expect(form == "leg")
      address = DeviceAddress(
        bits: bytes.reduce(0) { $0 << 8 | UInt64($1) }, type: try #require(AddressType(rawValue: type)))
      let body = [0x02, 0x01, event, type] + bytes.reversed() + [UInt8(data.count)] + data
      packet = [0x04, 0x3E, UInt8(body.count + 1)] + body + [UInt8(bitPattern: rssi)]
    }
  }

  let id: String
  let events: [Event]
}
