// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Reload: under load")
struct ReloadLoadTests {
  @Test("A thousand reloads at 5,000 reports a second lose and double nothing of unchanged items")
  func thousandReloads() {
    var crowd = Crowd(devices: 60, seed: 3)
    var dice = SeededGenerator(seed: 3, stream: 1)
    var twin = ManifestDataPath(Self.manifest(other: nil))
    var path = ManifestDataPath(Self.manifest(other: nil))
    var readers = (Reader(), Reader())
    var reloads = 0
    while reloads < 1000 {
      let (packet, time) = crowd.next()
      if dice.chance(perMille: 100) {
        let other: UInt8? = dice.chance(perMille: 300) ? nil : UInt8(dice.number(below: 4))
        path.reload(Self.manifest(other: other), at: time)
        reloads += 1
        readers.0.read(twin)
        readers.1.read(path)
        if reloads % 50 == 0 { path.pipeline.checkInvariants() }
      }
      _ = twin.pipeline.receive(h4: packet.span.rawBytes, at: time)
      _ = path.pipeline.receive(h4: packet.span.rawBytes, at: time)
    }
    readers.0.read(twin)
    readers.1.read(path)
    #expect(path.pipeline.counters.reports == twin.pipeline.counters.reports)
    #expect(readers.0.lines.values.map(\.count).reduce(0, +) > 500)
    for item in ["bulb", "touch"] {
      #expect(readers.0.lines[item]?.count ?? 0 > 50)
      #expect(readers.0.lines[item] == readers.1.lines[item])
    }
    // The others came and went, each found before it was lost.
    #expect(readers.1.lines["other", default: []].count > 100)
    #expect(readers.1.isOrderly && readers.0.isOrderly)
  }

  private static func manifest(other byte: UInt8?) -> GatewayManifest {
    var items = [
      DisplayItem.company(0x0EEE) { $0.gate.lostMilliseconds = 300 },
      DisplayItem.immediate(0x0EEE, "touch") {
        $0.leaveDwellMilliseconds = 100
        $0.enterDwellMilliseconds = 100
        $0.silenceMilliseconds = 200
      },
    ]
    if let byte {
      items.insert(
        .company(0x0EEE, "other") { $0.descriptor.manufacturerData = MaskedBytes(blob: [byte]) },
        at: Int(byte & 1))
    }
    return GatewayManifest(items) {
      $0.capacities.devices = 300
      $0.capacities.matchesPerItem = byte == nil ? 300 : 256
      $0.capacities.longPayloads = 4
    }
  }

  /// What a reader of a data path heard, by item.
  private struct Reader {
    private var cursor = EventCursor(epoch: Block128(high: 0, low: 0), sequence: 0)
    private(set) var lines: [String: [String]] = [:]
    private(set) var isOrderly = true
    private var found: [String: Set<DeviceAddress>] = [:]

    mutating func read(_ path: borrowing ManifestDataPath) {
      while true {
        switch path.pipeline.events.read(&cursor) {
        case .event(_, let sighting, _): note(sighting, path.item(of: sighting).item.id)
        case .missed, .reset: isOrderly = false
        case .end: return
        }
      }
    }

    private mutating func note(_ sighting: Sighting, _ item: String) {
      let word = "\(sighting.time.microseconds) \(sighting.event) \(sighting.reason)"
      lines[item, default: []].append("\(word) \(sighting.address.bits) \(sighting.filteredRSSI ?? 127)")
      let wasFound = found[item, default: []].contains(sighting.address)
      if wasFound != (sighting.event != .found) { isOrderly = false }
      if sighting.event == .lost {
        found[item, default: []].remove(sighting.address)
      } else {
        found[item, default: []].insert(sighting.address)
      }
    }
  }
}

/// Devices that advertise every 50 ms each, in turn, but are sometimes away; their levels and payloads change.
private struct Crowd {
  private var dice: SeededGenerator
  private var levels: [Int]
  private var bytes: [UInt8]
  private var awayUntil: [Int64]
  private var step: Int64 = 0

  init(devices count: Int, seed: UInt64) {
    dice = SeededGenerator(seed: seed)
    levels = [Int](repeating: -60, count: count)
    bytes = [UInt8](repeating: 0, count: count)
    awayUntil = [Int64](repeating: 0, count: count)
  }

  mutating func next() -> (packet: [UInt8], time: Instant) {
    while true {
      step += 1
      let number = Int(step) % levels.count
      let time = step * 50_000 / Int64(levels.count)
      guard time >= awayUntil[number] else { continue }
      if dice.chance(perMille: 30) { awayUntil[number] = time + Int64(dice.number(below: 800_000)) }
      if dice.chance(perMille: 100) { levels[number] = -38 - dice.number(below: 35) }
      if dice.chance(perMille: 100) { bytes[number] = UInt8(dice.number(below: 4)) }
      let report = AirReport(
        .connectable, from: .device(UInt64(number)), rssi: Int8(levels[number]),
        .made(by: 0x0EEE, bytes[number]))
      return (ReportEncoder.event(.legacy, report), Instant(microseconds: time))
    }
  }
}
