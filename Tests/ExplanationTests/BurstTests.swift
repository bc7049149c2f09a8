// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Explanation
import HCI
import Interfaces
import Manifest
import ManifestEdits
import ManifestFormat
import Suggestions
import TestSupport
import Testing
import ToolText
import VirtualRadio

/// A device that sleeps between its bursts at an item of the immediate range: the keys that are named are those that let
/// it in, and those that keep it.
@Suite struct BurstTests {
  /// `count` reports of -40 dBm, one each `interval`, again after `period`; in milliseconds.
  struct Rhythm: Sendable, CustomTestStringConvertible {
    let count: Int64
    let interval: Int64
    let period: Int64

    var testDescription: String { "\(count) each \(interval) ms, every \(period) ms" }

    func packets(at rssi: Int8 = -40) -> [(milliseconds: Int64, bytes: [UInt8])] {
      (0..<Int64(12)).flatMap { burst in
        (0..<count).map { step in
          let payload = AdvertisingPayload().manufacturerData(0x0EEE, [1, UInt8(burst)])
          let report = AirReport(.connectable, from: BurstTests.address, rssi: rssi, payload)
          return (burst * period + step * interval, ReportEncoder.event(.legacy, report))
        }
      }
    }
  }

  private static let address = DeviceAddress(bits: 0xC4A1_0000_0001, type: .random)
  private static let rhythms = [
    Rhythm(count: 6, interval: 25, period: 60_000), Rhythm(count: 3, interval: 100, period: 20_000),
    Rhythm(count: 2, interval: 100, period: 60_000), Rhythm(count: 1, interval: 0, period: 10_000),
    Rhythm(count: 1, interval: 0, period: 60_000),
  ]

  /// The manifest's data path after the packets, with the item in the immediate range.
  private func path(
    _ suggestion: Suggestion, _ packets: [(milliseconds: Int64, bytes: [UInt8])],
    _ change: (inout GateSettings) -> Void = { _ in }
  ) throws -> ManifestDataPath {
    let reading = ManifestReader.read(text: Array(suggestion.item.manifest.utf8), fileName: "new.toml")
    var manifest = try #require(reading.manifest)
    manifest.apps[0].items[0].descriptor.range = .immediate
    manifest.apps[0].items[0].gate.isImmediate = true
    change(&manifest.apps[0].items[0].gate)
    var path = ManifestDataPath(manifest)
    for (milliseconds, bytes) in packets {
      _ = path.pipeline.receive(
        try Packet(parsing: bytes.span.rawBytes), at: Instant(microseconds: milliseconds * 1000))
    }
    return path
  }

  private func suggestion(_ packets: [(milliseconds: Int64, bytes: [UInt8])]) throws -> Suggestion {
    try #require(Suggesting.suggestion(for: Self.address, from: Suggesting.decoded(packets)))
  }

  /// A capture in which nothing was found.
  private func history(_ packets: [(milliseconds: Int64, bytes: [UInt8])]) -> CaptureHistory {
    var history = CaptureHistory(ofDevice: Self.address.bits)
    for report in Suggesting.decoded(packets) { history.addReport(report) }
    return history
  }

  /// The number after a key.
  private static func value(of key: String, in note: String) -> Int? {
    note.split(separator: " ").drop { $0 != key }.dropFirst(2).first.flatMap { Int($0.filter(\.isNumber)) }
  }

  @Test("suggest names the keys that let it in, and those that keep it", arguments: rhythms)
  func keys(rhythm: Rhythm) throws {
    let packets = rhythm.packets()
    let suggestion = try suggestion(packets)
    let note = try #require(suggestion.notes.first { $0.contains("immediate range") })
    let dwell = Self.value(of: "gate.enter-dwell-ms", in: note)
    let samples = Self.value(of: "gate.samples-min", in: note)
    #expect(dwell != nil || samples != nil, "\(note)")
    func enter(_ gate: inout GateSettings) {
      if let dwell { gate.enterDwellMilliseconds = Int32(dwell) }
      if let samples { gate.samplesMin = UInt8(samples) }
    }
    #expect(try path(suggestion, packets).pipeline.counters.found == 0)
    #expect(try path(suggestion, packets, enter).pipeline.counters.found >= 1, "\(note)")
    let kept = try path(suggestion, packets) { gate in
      enter(&gate)
      (gate.silenceMilliseconds, gate.silenceMillisecondsMax) = (200_000, 200_000)
    }
    #expect(kept.pipeline.counters.found == 1 && kept.pipeline.counters.lost == 0, "\(note)")
  }

  @Test(
    "Single packets need the keys that explain names, and none where the gate lets them in",
    arguments: [5000, 6000, 7000, 20_000, 40_000])
  func singlePackets(period: Int64) throws {
    let packets = Rhythm(count: 1, interval: 0, period: period).packets()
    let suggestion = try suggestion(packets)
    let note = try #require(suggestion.notes.first { $0.contains("immediate range") })
    let path = try path(suggestion, packets)
    #expect((path.pipeline.counters.found > 0) == !note.contains("only with"), "\(note)")
    #expect(note.contains("gate.samples-min = 1") == (period > 6000), "\(note)")
    #expect(note.contains("gate.enter-dwell-ms") == (period > 30_000), "\(note)")
    #expect(
      note.contains("a longer gate.sample-window-max-ms") == (7000...20_000).contains(period), "\(note)")
    #expect(note.contains("loses it") == (period > 30_000), "\(note)")
    let why = path.explanations(of: try #require(path.devices.first), item: 0)[0].why
    #expect(why.contains("can never enter") == (period > 6000), "\(why)")
    #expect(why.contains("gate.enter-dwell-ms") == note.contains("gate.enter-dwell-ms"), "\(why)")
  }

  @Test("Bursts that are long enough need no key to enter")
  func longBursts() throws {
    let packets = Rhythm(count: 10, interval: 100, period: 60_000).packets()
    let suggestion = try suggestion(packets)
    #expect(suggestion.notes.contains { $0.contains("the immediate range loses it in between") })
    #expect(try path(suggestion, packets).pipeline.counters.found == 12)
  }

  @Test("explain and try say that it was strong enough, and name the keys that let it in", arguments: rhythms)
  func explanation(rhythm: Rhythm) throws {
    let packets = rhythm.packets()
    let suggestion = try suggestion(packets)
    for waits in [false, true] {
      var path = try path(suggestion, packets)
      // Another device is heard a minute later, when the match is over.
      let last = packets[packets.count - 1].milliseconds
      path.pipeline.advance(to: Instant(microseconds: (last + (waits ? 50_000 : 0)) * 1000))
      let view = try #require(path.devices.first)
      for explanation in [
        path.explanations(of: view, item: 0)[0],
        path.explanations(of: view, item: 0, in: history(packets))[0],
      ] {
        let why = explanation.why
        #expect(why.hasPrefix("matches, "), "\(why)")
        #expect(why.contains("gate.enter-dwell-ms") || rhythm.count == 1, "\(why)")
        #expect(why.contains("gate.samples-min") == (rhythm.count < 3), "\(why)")
        #expect(!why.contains("at the gateway") && !why.contains("turned away"), "\(why)")
      }
    }
  }

  @Test("A weak one was never at the gateway")
  func weak() throws {
    let packets = Self.rhythms[0].packets(at: -70)
    let path = try path(try suggestion(packets), packets)
    let view = try #require(path.devices.first)
    let why = path.explanations(of: view, item: 0, in: history(packets))[0].why
    #expect(why == "matches, but was never at the gateway")
  }
}
