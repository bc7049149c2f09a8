// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

/// What unknown devices can do by sending a lot. Memory is flat by construction: every table comes from an arena that
/// is measured before the first packet, and `Discovery` compiles as Embedded Swift that may not allocate. What is left
/// to show is that the right devices keep their places.
@Suite("Floods")
struct FloodTests {
  private let company: UInt16 = 0x0EEE

  /// One report as bytes, whose address and level are replaced in place: floods are long.
  private struct Template {
    private(set) var packet: [UInt8]

    init(_ payload: AdvertisingPayload) {
      packet = ReportEncoder.event(.legacy, AirReport(.connectable, from: .device(0), rssi: -60, payload))
    }

    /// H4 indicator, event code, length, subevent, number of reports, event type, address type, then the address.
    func packet(from number: UInt64) -> [UInt8] {
      var result = packet
      let bits = DeviceAddress.device(number).bits
      for byte in 0..<6 { result[7 + byte] = UInt8(truncatingIfNeeded: bits >> (8 * UInt64(byte))) }
      return result
    }
  }

  /// A data path without the harness's checks after every packet.
  private final class Gateway {
    var path: ManifestDataPath
    private var cursor = EventCursor(epoch: Block128(high: 0, low: 0), sequence: 0)

    /// With the default capacities.
    init(_ manifest: GatewayManifest) {
      var manifest = manifest
      manifest.gateway.capacities = Capacities()
      path = ManifestDataPath(manifest)
    }

    var counters: Counters { path.pipeline.counters }

    func receive(_ packet: [UInt8], at microseconds: Int64) {
      _ = path.pipeline.receive(h4: packet.span.rawBytes, at: Instant(microseconds: microseconds))
    }

    var produced: UInt64 { path.pipeline.events.produced }
    var displaced: UInt64 { path.pipeline.assemblerCounters.displaced }

    func setAccessory(_ number: UInt64) {
      let isTaken = path.pipeline.setAccessory(.device(number), true)
      #expect(isTaken)
    }

    func hasRow(_ number: UInt64) -> Bool { path.pipeline.row(at: .device(number)) != nil }

    func isFound(_ number: UInt64) -> Bool {
      guard let row = path.pipeline.row(at: .device(number)), let device = path.pipeline.device(at: row)
      else {
        return false
      }
      return (0..<Int(device.matchCount)).contains { path.pipeline.match($0, at: row).isFound }
    }

    /// Devices that were lost since the last call, and what was missed.
    func lost() -> (devices: Set<UInt64>, missed: UInt64) {
      var devices: Set<UInt64> = []
      var missed: UInt64 = 0
      while true {
        switch path.pipeline.events.read(&cursor) {
        case .event(_, let sighting, _):
          if sighting.event == .lost { devices.insert(sighting.address.bits & 0xFFFF_FFFF) }
        case .missed(let count): missed += count
        case .end, .reset: return (devices, missed)
        }
      }
    }
  }

  @Test("100,000 addresses in an hour: accessories and known devices keep their rows, the table its size")
  func addresses() {
    let gateway = Gateway(GatewayManifest([.company(company)]))
    let wanted = Template(.made(by: company))
    let strange = Template(.made(by: 0x004C))
    for number: UInt64 in 1...20 { gateway.setAccessory(number) }
    // Accessories 1...10 are heard once and then never again; devices 101...110 match and send every 2 s.
    for number: UInt64 in 1...10 { gateway.receive(strange.packet(from: number), at: 0) }
    var nextWanted: Int64 = 0
    for number: UInt64 in 0..<100_000 {
      let now = Int64(number) * 36_000
      while nextWanted <= now {
        for number: UInt64 in 101...110 { gateway.receive(wanted.packet(from: number), at: nextWanted) }
        nextWanted += 2_000_000
      }
      gateway.receive(strange.packet(from: 1_000_000 + number), at: now)
    }
    gateway.path.pipeline.checkInvariants()
    for number: UInt64 in 1...10 { #expect(gateway.hasRow(number)) }
    for number: UInt64 in 101...110 { #expect(gateway.isFound(number)) }
    #expect(gateway.counters.devicesAdded == 100_020)
    #expect(gateway.counters.unknownDevicesEvicted == 98_020)
    #expect(gateway.counters.matchingDevicesEvicted == 0)
    #expect(gateway.counters.found == 10)
    #expect(gateway.counters.lost == 0)
  }

  @Test("Spoofed matches from rotating addresses: the quota holds, and devices heard regularly stay found")
  func spoofedMatches() {
    let gateway = Gateway(GatewayManifest([.company(company)]))
    let wanted = Template(.made(by: company))
    gateway.setAccessory(1)
    gateway.receive(wanted.packet(from: 1), at: 0)
    var nextWanted: Int64 = 0
    for spoof: UInt64 in 0..<20_000 {
      let now = 1_000_000 + Int64(spoof) * 20_000  // 50 new addresses a second
      while nextWanted <= now {
        for number: UInt64 in 101...130 { gateway.receive(wanted.packet(from: number), at: nextWanted) }
        gateway.receive(wanted.packet(from: 1), at: nextWanted)
        nextWanted += 500_000
      }
      gateway.receive(wanted.packet(from: 1_000_000 + spoof), at: now)
    }
    gateway.path.pipeline.checkInvariants()
    for number: UInt64 in 101...130 { #expect(gateway.isFound(number)) }
    #expect(gateway.isFound(1))
    // No stronger than what is there, a spoofed device waits until another has fallen silent.
    #expect(gateway.counters.matchesEvicted == 0)
    #expect(gateway.counters.matchesTurnedAway > 5000)
    let (lost, missed) = gateway.lost()
    #expect(lost.isDisjoint(with: Array(101...130) + [1]))
    #expect(missed + 1024 == gateway.produced)
    // The quota and the accessory.
    #expect(gateway.counters.found - gateway.counters.lost == 257)
  }

  @Test("Spoofers that send as often as real devices do not push those out that are heard every second")
  func patientSpoofers() {
    let gateway = Gateway(GatewayManifest([.company(company)]))
    let wanted = Template(.made(by: company))
    for tick: Int64 in 0..<600 {
      let now = tick * 100_000
      if tick % 9 == 0 {
        for number: UInt64 in 101...120 { gateway.receive(wanted.packet(from: number), at: now) }
      }
      for spoof: UInt64 in 0..<20 {
        // Each address is used for half a second, five reports long.
        gateway.receive(wanted.packet(from: 1_000_000 + UInt64(tick / 5) * 20 + spoof), at: now)
      }
    }
    gateway.path.pipeline.checkInvariants()
    for number: UInt64 in 101...120 { #expect(gateway.isFound(number)) }
    #expect(gateway.lost().devices.isDisjoint(with: 101...120))
  }

  @Test("A payload that changes with every report makes four events a second, and the others are counted")
  func changingPayloads() {
    let gateway = Gateway(GatewayManifest([.company(company)]))
    for step: Int64 in 0..<20_000 {
      let payload = AdvertisingPayload.made(by: company, UInt8(truncatingIfNeeded: step))
      gateway.receive(
        ReportEncoder.event(.legacy, AirReport(.connectable, from: .device(1), rssi: -60, payload)),
        at: step * 1000)
    }
    #expect(gateway.counters.changed == 4 * 19)
    // Four wait.
    #expect(gateway.counters.changed + gateway.counters.changesSkipped + 4 == 19_999)
  }

  @Test("Endless chains of fragments take no more than their places")
  func fragments() {
    let gateway = Gateway(GatewayManifest([.company(company)]))
    for step: UInt64 in 0..<5000 {
      var report = AirReport(
        extendedFrom: .device(step % 50), set: 1, properties: .connectable, rssi: -60,
        AdvertisingPayload(raw: [UInt8](repeating: 0xAB, count: 200)))
      report.header.dataStatus = .incomplete
      gateway.receive(ReportEncoder.event(.extended, report), at: Int64(step) * 1000)
    }
    #expect(gateway.displaced > 4000)
    // A real chain still comes through.
    let payload = AdvertisingPayload.made(by: company).structure(0x26, [UInt8](repeating: 1, count: 250))
    let chain = ReportEncoder.chain(
      AirReport(extendedFrom: .device(900), set: 2, properties: .connectable, rssi: -60, payload))
    for packet in chain { gateway.receive(packet, at: 6_000_000) }
    #expect(gateway.isFound(900))
  }

  @Test(
    "Hostile names pass through the pipeline byte for byte",
    arguments: [
      [0xC3, 0x28, 0xFF, 0xFE],  // ill-formed UTF-8
      [0x1B, 0x5B, 0x32, 0x4A, 0x07],  // clear the screen, ring the bell
      [0xE2, 0x80, 0xAE, 0x4C, 0x75, 0x6D, 0x6F],  // right-to-left override
      [0x0A, 0x0D, 0x00, 0x22, 0x5C],  // newlines, a zero, quotes
      [0xED, 0xA0, 0x80, 0xF4, 0x90, 0x80, 0x80],  // a surrogate, over the last scalar
    ] as [[UInt8]])
  func hostileNames(name: [UInt8]) {
    let item = DisplayItem.company(company) {
      $0.descriptor.nameSubstring = Array("Lumo".utf8)
      $0.descriptor.nameCompareOptions = [.caseInsensitive]
    }
    let harness = DataPathHarness(.company(company, "all"), item)
    let payload = AdvertisingPayload.made(by: company).structure(.completeName, name)
    harness.hear(1, -60, payload, at: 0)
    let sightings = harness.sightings()
    #expect(sightings.first?.payload == payload.bytes)
    #expect(sightings.map(\.item) == (name.contains(0x4C) ? ["all", "bulb"] : ["all"]))
  }
}
