// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Explanation
import HCI
import JSON
import Manifest
import ManifestFormat
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
    let suggestion = try #require(Self.suggestion(for: device.address, first + Self.room(besides: device)))
    #expect(suggestion.descriptor.clauseText == device.wanted, "\(suggestion.toml)")
    #expect(suggestion.notes.first?.hasPrefix("Its layout is ") == true)
    #expect(suggestion.toml.contains("# From \(first.count) reports of "))
    try Self.expectFound(suggestion, in: first, second)
    #expect(!suggestion.descriptor.repeats(device.addressBytes), "\(suggestion.toml)")
    #expect(
      suggestion.warnings.contains { $0.contains("changes its address") }
        == (device.address.lifetime != .durable))
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
    let decoded = packets.map { Self.decoded([$0]) }
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
      let heard = Self.decoded(first).filter { $0.header.address == address }
      let others = decoded.joined().filter { $0.header.address != address }
      guard let suggestion = Self.suggestion(for: address, from: heard + others) else {
        #expect(!heard.contains { $0.fields?.hasKey ?? false }, "\(address.text ?? "")")
        continue
      }
      try Self.expectFound(suggestion, in: first, second)
    }
  }

  @Test("An unknown device gets the shortest clause that tells its kind from the others")
  func unknownLayout() throws {
    let lamp = MadeDevice("lamp", "M 0eee 01 07 ## ##", wanted: "0eee 0107", at: 0xC4A1_0000_0001)
    let socket = MadeDevice("socket", "M 0eee 01 09 ## ##", wanted: "", at: 0xC4A1_0000_0002)
    let other = MadeDevice("other", "M 0fff 01 07 ## ##", wanted: "", at: 0xC4A1_0000_0003)
    #expect(Self.suggestion(of: lamp, among: [other])?.descriptor.clauseText == "0eee")
    #expect(Self.suggestion(of: lamp, among: [other, socket])?.descriptor.clauseText == lamp.wanted)
    let named = MadeDevice("named", "M 0eee 01 09 ## ## ; N Lumo", wanted: "", at: 0xC4A1_0000_0004)
    #expect(Self.suggestion(of: named, among: [lamp, socket])?.descriptor.clauseText == "0eee Lumo")
  }

  @Test("The note counts the other devices that the item tells it from: none, one, several")
  func others() throws {
    let lamp = MadeDevice("lamp", "M 0eee 01 07 ## ##", wanted: "", at: 0xC4A1_0000_0001)
    let socket = MadeDevice("socket", "M 0fff 01 09 ## ##", wanted: "", at: 0xC4A1_0000_0002)
    let third = MadeDevice("third", "M 0ddd 01 07 ## ##", wanted: "", at: 0xC4A1_0000_0003)
    let twin = MadeDevice("twin", "M 0eee 01 07 ## ##", wanted: "", at: 0xC4A1_0000_0004)
    let least = "The item asks for the least that tells it from "
    for (others, sentence) in [
      ([], "No other device is in sight to tell it from."),
      ([socket], least + "the other device in sight."),
      ([socket, third], least + "the 2 other devices in sight."),
      ([socket, twin], least + "1 of the 2 other devices in sight."),
      ([twin], "The other device in sight sends nothing that tells the two apart."),
    ] {
      let suggestion = try #require(Self.suggestion(of: lamp, among: others))
      #expect(suggestion.notes.contains("Its layout is not known. " + sentence), "\(suggestion.notes)")
    }
  }

  @Test("A device that sends nothing but a name is found by how that begins")
  func nameAlone() throws {
    let meter = MadeDevice("meter", "N GVH5075 ~", wanted: "GVH5075 ", at: 0xC4A1_0000_4F2A)
    let other = MadeDevice("other", "N Lumo", wanted: "", at: 0xC4A1_0000_0002)
    let suggestion = try #require(Self.suggestion(of: meter, among: [other]))
    #expect(suggestion.descriptor.clauseText == meter.wanted)
    #expect(suggestion.toml.contains("descriptor.bluetooth-name-prefix = \"GVH5075 \"\n"))
    #expect(suggestion.notes.first?.contains("the name alone") == true)
    try Self.expectFound(suggestion, in: meter.packets(20))
  }

  @Test("Bytes that changed in any device of the company are readings")
  func readings() {
    let steady = MadeDevice("steady", "M 0eee 01 15 20 64", wanted: "", at: 0xC4A1_0000_0001)
    let restless = MadeDevice("restless", "M 0eee 01 ## ## ##", wanted: "", at: 0xC4A1_0000_0002)
    let suggestion = Self.suggestion(of: steady, among: [restless])
    #expect(suggestion?.descriptor.clauseText == "0eee")
    #expect(
      suggestion?.warnings.last == "The item also finds 1 other device in sight: C4:A1:00:00:00:02.")
  }

  @Test("Neither data nor names repeat the device's own address", arguments: ["A", "a", "a1b2c3", "c3b2a1"])
  func ownAddress(bytes: String) throws {
    let device = MadeDevice("own", "M 0eee \(bytes) 0102 ; N Lumo ~", wanted: "", at: 0xC4D7_E6A1_B2C3)
    let twin = MadeDevice("twin", "M 0eee 998877665544 0304 ; N Lumo 7777", wanted: "", at: 0xC4D7_E6A1_0000)
    let suggestion = try #require(Self.suggestion(of: device, among: [twin]))
    #expect(!suggestion.descriptor.repeats(device.addressBytes), "\(suggestion.toml)")
    #expect(suggestion.descriptor.nameSubstring.map { $0 == Array("Lumo ".utf8) } ?? true)
  }

  @Test("Few reports are a warning, and so is what stands only in a scan response")
  func warnings() throws {
    let device = MadeDevice(
      "meter", "M 0969 A @@ ## ######", "R: S fd3d 69 00 ## ######", wanted: "", at: 0xC4F9_2675_5501)
    let few = try #require(Self.suggestion(for: device.address, device.packets(9)))
    #expect(few.warnings.first?.hasPrefix("18 reports are too few to see which bytes change") == true)
    #expect(few.warnings.last?.contains("scan = \"active\"") == true)
    let enough = try #require(Self.suggestion(for: device.address, device.packets(10)))
    #expect(enough.warnings.count == 1)
    #expect(enough.toml.contains("# Warning: What the item asks for stands in the scan response"))
  }

  // What the tests share.

  private static func room(besides device: MadeDevice) -> [[UInt8]] {
    MadeDevice.families.filter { $0.address != device.address }.flatMap { $0.packets(20) }
  }

  private static func suggestion(of device: MadeDevice, among others: [MadeDevice]) -> Suggestion? {
    suggestion(for: device.address, ([device] + others).flatMap { $0.packets(30) })
  }

  private static func suggestion(for address: DeviceAddress, _ packets: [[UInt8]]) -> Suggestion? {
    suggestion(for: address, from: decoded(packets))
  }

  private static func suggestion(for address: DeviceAddress, from reports: [DecodedReport]) -> Suggestion? {
    var sources = SuggestionSources(ofDevice: address.bits)
    for report in reports { sources.addReport(report) }
    return Suggestion.all(of: sources.device, others: sources.others).first
  }

  private static func decoded(_ packets: [[UInt8]]) -> [DecodedReport] {
    var decoder = ArenaOwner { ReportDecoder(in: &$0) }
    var reports: [DecodedReport] = []
    for bytes in packets {
      guard let packet = try? Packet(parsing: bytes.span.rawBytes),
        let event = try? Event(parsing: packet.body)
      else {
        continue
      }
      let start = Instant(microseconds: 0)
      _ = decoder.value.decodeReports(of: event, at: start, since: start) { reports.append($0) }
    }
    return reports
  }

  /// Runs the suggested manifest, as an operator would save it, over each part.
  private static func expectFound(_ suggestion: Suggestion, in parts: [[UInt8]]...) throws {
    let reading = ManifestReader.read(text: Array(suggestion.toml.utf8), fileName: "new.toml")
    let manifest = try #require(reading.manifest, "\(reading.diagnostics)\n\(suggestion.toml)")
    #expect(manifest.apps[0].items[0].descriptor == suggestion.descriptor)
    for packets in parts {
      var path = ManifestDataPath(manifest)
      for (step, bytes) in packets.enumerated() {
        let packet = try Packet(parsing: bytes.span.rawBytes)
        _ = path.pipeline.receive(packet, at: Instant(microseconds: Int64(step) * 100_000))
      }
      #expect(path.pipeline.counters.found > 0, "\(suggestion.toml)")
    }
  }
}

extension DiscoveryDescriptor {
  /// Company, data/mask, service, data/mask, name; no mask where every bit counts.
  fileprivate var clauseText: String {
    var words: [String] = []
    if let companyIdentifier { words.append(Hex.digits(UInt64(companyIdentifier), count: 4)) }
    if let manufacturerData { words.append(manufacturerData.text) }
    if let serviceUUID { words.append(serviceUUID.text) }
    if let serviceData { words.append(serviceData.text) }
    if let nameSubstring { words.append(String(decoding: nameSubstring, as: UTF8.self)) }
    return words.joined(separator: " ")
  }

  /// Whether three bytes in a row of the data are the address's.
  fileprivate func repeats(_ address: [UInt8]) -> Bool {
    [manufacturerData, serviceData].compactMap(\.self).contains { bytes in
      let asked = zip(bytes.blob, bytes.mask).map { $1 == 0xFF ? Int($0) : -1 }
      return [address, address.reversed()].contains { own in
        (0...3).contains { start in
          let part = own[start..<(start + 3)].map(Int.init)
          return asked.indices.contains { asked[$0...].starts(with: part) }
        }
      }
    }
  }
}

extension AdvertisementFields {
  /// Whether an item could find the device.
  fileprivate var hasKey: Bool { !manufacturerData.isEmpty || !serviceData.isEmpty || !services.isEmpty }
}

extension MaskedBytes {
  fileprivate var text: String {
    hexText(blob) + (mask.allSatisfy { $0 == 0xFF } ? "" : "/" + hexText(mask))
  }
}
