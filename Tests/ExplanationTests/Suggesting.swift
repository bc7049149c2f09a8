// SPDX-License-Identifier: GPL-3.0-or-later

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

/// Suggests items for made devices, and runs the data path with them.
enum Suggesting {
  static func room(besides device: MadeDevice) -> [[UInt8]] {
    MadeDevice.families.filter { $0.address != device.address }.flatMap { $0.packets(20) }
  }

  static func suggestion(of device: MadeDevice, among others: [MadeDevice]) -> Suggestion? {
    suggestion(for: device.address, ([device] + others).flatMap { $0.packets(30) })
  }

  static func suggestion(for address: DeviceAddress, _ packets: [[UInt8]]) -> Suggestion? {
    suggestion(for: address, from: decoded(packets))
  }

  static func suggestion(for address: DeviceAddress, from reports: [DecodedReport]) -> Suggestion? {
    var sources = SuggestionSources(ofDevice: address.bits)
    for report in reports { sources.addReport(report) }
    return Suggestion.all(sources).first
  }

  static func decoded(_ packets: [[UInt8]]) -> [DecodedReport] { decoded(packets.map { (0, $0) }) }

  static func decoded(_ packets: [(milliseconds: Int64, bytes: [UInt8])]) -> [DecodedReport] {
    var decoder = ArenaOwner { ReportDecoder(in: &$0) }
    var reports: [DecodedReport] = []
    for (milliseconds, bytes) in packets {
      guard let packet = try? Packet(parsing: bytes.span.rawBytes),
        let event = try? Event(parsing: packet.body)
      else {
        continue
      }
      let start = Instant(microseconds: 0)
      let time = start.advanced(milliseconds: milliseconds)
      _ = decoder.value.decodeReports(of: event, at: time, since: start) { reports.append($0) }
    }
    return reports
  }

  /// How often an item found something, and lost it.
  struct Outcome: Equatable {
    var found: UInt64
    var lost: UInt64
  }

  /// Runs the suggested manifest, as an operator would save it, over packets that come every 100 ms.
  static func run(_ suggestion: Suggestion, _ packets: some Sequence<[UInt8]>) throws -> Outcome {
    try run(suggestion, at: packets.enumerated().map { (Int64($0) * 100, $1) })
  }

  static func run(
    _ suggestion: Suggestion, at packets: [(milliseconds: Int64, bytes: [UInt8])]
  ) throws -> Outcome {
    let reading = ManifestReader.read(text: Array(suggestion.item.manifest.utf8), fileName: "new.toml")
    let manifest = try #require(reading.manifest, "\(reading.diagnostics)\n\(suggestion.item.manifest)")
    #expect(manifest.apps[0].items[0].descriptor == suggestion.descriptor)
    var path = ManifestDataPath(manifest)
    for (milliseconds, bytes) in packets {
      let packet = try Packet(parsing: bytes.span.rawBytes)
      _ = path.pipeline.receive(packet, at: Instant(microseconds: milliseconds * 1000))
    }
    return Outcome(found: path.pipeline.counters.found, lost: path.pipeline.counters.lost)
  }

  static func expectFound(_ suggestion: Suggestion, in parts: [[UInt8]]...) throws {
    for packets in parts {
      #expect(try run(suggestion, packets).found > 0, "\(suggestion.item.manifest)")
    }
  }
}

extension DiscoveryDescriptor {
  /// Company, data/mask, service, data/mask, name; no mask where every bit counts.
  var clauseText: String {
    var words: [String] = []
    if let companyIdentifier { words.append(Hex.digits(UInt64(companyIdentifier), count: 4)) }
    if let manufacturerData { words.append(manufacturerData.text) }
    if let serviceUUID { words.append(serviceUUID.text) }
    if let serviceData { words.append(serviceData.text) }
    if let nameSubstring { words.append(String(decoding: nameSubstring, as: UTF8.self)) }
    return words.joined(separator: " ")
  }

  /// Whether three bytes in a row of the data, with the company before it, are the address's, or its digits are in the name.
  func repeats(_ address: [UInt8]) -> Bool {
    let digits = [address.suffix(2), address.suffix(2).reversed()].map { hexText($0).uppercased() }
    let name = String(decoding: nameSubstring ?? [], as: UTF8.self)
    if digits.contains(where: name.contains) { return true }
    let company = companyIdentifier.map { [Int($0 & 0xFF), Int($0 >> 8)] } ?? []
    let sources: [(key: [Int], bytes: MaskedBytes?)] = [(company, manufacturerData), ([], serviceData)]
    let orders: [[UInt8]] = [address, address.reversed()]
    return sources.contains { key, bytes in
      let bits: [Int] = zip(bytes?.blob ?? [], bytes?.mask ?? []).map { $1 == 0xFF ? Int($0) : -1 }
      let asked = key + bits
      return orders.contains { own in
        (0...3).contains { (start: Int) -> Bool in
          let part: [Int] = own[start..<(start + 3)].map { Int($0) }
          return asked.indices.contains { asked[$0...].starts(with: part) }
        }
      }
    }
  }
}

extension MaskedBytes {
  fileprivate var text: String {
    hexText(blob) + (mask.allSatisfy { $0 == 0xFF } ? "" : "/" + hexText(mask))
  }
}
