// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Testing
import VirtualRadio

@testable import Discovery

/// Frames that come back are not matched again, and nothing tells.
@Suite("Known frames")
struct KnownFrameTests {
  /// A data path, and a twin that matches every frame again.
  private final class Twins {
    let harness: DataPathHarness
    let twin: DataPathHarness

    init(_ manifest: GatewayManifest) {
      harness = DataPathHarness(manifest)
      twin = DataPathHarness(manifest)
    }

    func each(_ act: (DataPathHarness) -> Void) {
      act(harness)
      act(twin)
      twin.dropKnownFrames()
    }

    /// Whether both have said the same, and, at every fifth step, know the same of every device.
    func agree(at step: Int) -> Bool {
      harness.sightings().map(ModelEvent.init) == twin.sightings().map(ModelEvent.init)
        && harness.counters == twin.counters && (step % 5 != 4 || harness.tables == twin.tables)
    }
  }

  private static let company: UInt16 = 0x0EEE
  private static let items: [DisplayItem] = [
    .company(company) { $0.descriptor.manufacturerData = MaskedBytes(blob: [1], mask: [1]) },
    .company(company, "all"),
    .immediate(company, "near") {
      $0.enterDwellMilliseconds = 500
      $0.samplesMin = 2
    },
    .company(company, "both") { $0.descriptor.nameSubstring = [UInt8]("Lumo".utf8) },
  ]

  @Test("A device that alternates frames is matched with each of them once", arguments: 2...4)
  func economy(frames: Int) {
    let harness = DataPathHarness(GatewayManifest(Self.items))
    for step in 0..<200 {
      harness.hear(1, -40, .made(by: Self.company, UInt8(step % frames)), at: 100 * Int64(step))
    }
    // Until its first change is remembered, and when the gate lets it in, all are matched again.
    #expect(harness.evaluations < 5 * frames)
    #expect(harness.counters.reports == 200)
  }

  @Test("Two constant frames beside one that counts are matched once")
  func counter() {
    let harness = DataPathHarness(GatewayManifest([Self.items[1]]))
    for step in 0..<300 {
      let payload: AdvertisingPayload =
        step % 3 < 2
        ? .made(by: Self.company, UInt8(step % 3))
        : AdvertisingPayload().manufacturerData(Self.company, [9, UInt8(step / 3)])
      harness.hear(1, -60, payload, at: 100 * Int64(step))
    }
    #expect(harness.evaluations < 110)
  }

  enum Disturbance: CaseIterable {
    case none, response, alternatingResponse, otherFrame, longFrame, malformedFrame, setNumber,
      txPower, radioLoss
    case reload, otherItems, silence, eviction, accessory, pause, truncation, directed
  }

  @Test(
    "Whatever comes between two frames, the result is that of matching each again",
    arguments: Disturbance.allCases)
  func disturbance(_ disturbance: Disturbance) {
    for frames in 2...5 {
      let twins = Twins(GatewayManifest(Self.items) { $0.capacities.devices = 3 })
      var time: Int64 = 0
      for step in 0..<160 {
        time += 150
        let payload = AdvertisingPayload.made(by: Self.company, UInt8(step % frames))
        twins.each { $0.hear(1, -40, payload, at: time) }
        if step % 40 == 30 { disturb(disturbance, twins, payload, step, &time) }
        guard twins.agree(at: step) else {
          Issue.record("\(disturbance) with \(frames) frames, step \(step)")
          return
        }
      }
    }
  }

  private func disturb(
    _ disturbance: Disturbance, _ twins: Twins, _ payload: AdvertisingPayload, _ step: Int,
    _ time: inout Int64
  ) {
    let address = DeviceAddress.device(1)
    let now = time
    switch disturbance {
    case .none: break
    case .response:
      twins.each { $0.hear(response: payload.name("Lumo \(step)"), of: 1, -40, at: now) }
    case .alternatingResponse:
      for number in 0..<6 {
        let name = number % 2 == 0 ? "Lumo" : "Other"
        twins.each { $0.hear(response: AdvertisingPayload().name(name), of: 1, -40, at: now) }
      }
    case .otherFrame: twins.each { $0.hear(1, -40, .made(by: 2), at: now) }
    case .longFrame, .setNumber, .txPower:
      let bytes = [UInt8](repeating: 1, count: disturbance == .longFrame ? 40 : 1)
      for number in 0..<4 {
        let report = AirReport(
          extendedFrom: address, set: disturbance == .setNumber ? UInt8(number % 2) : 3,
          properties: .scannable,
          txPower: disturbance == .txPower ? Int8(number) : ReportHeader.noTxPower, rssi: -40,
          payload.structure(0x26, number % 2 == 0 ? bytes : [3]))
        twins.each { $0.hear(report, at: now) }
      }
    case .malformedFrame: twins.each { $0.hear(1, -40, payload.raw([9, 9, 1]), at: now) }
    case .radioLoss: twins.each { $0.loseRadio(at: now) }
    case .reload:
      twins.each { $0.reload(GatewayManifest(Self.items) { $0.capacities.devices = 3 }, at: now) }
    case .otherItems:
      let items = [Self.items[step % 3]]
      twins.each { $0.reload(GatewayManifest(items) { $0.capacities.devices = 3 }, at: now) }
    case .silence: time += 12_000
    case .eviction:
      for number in UInt64(2)...6 { twins.each { $0.hear(number, -50, .made(by: 3, 1), at: now) } }
      time += 11_000
      for number in UInt64(2)...6 {
        twins.each { $0.hear(number, -50, .made(by: 3, 1), at: now + 11_000) }
      }
    case .accessory: twins.each { $0.setAccessory(address, step % 80 == 30) }
    case .pause:
      time += 60_000
      twins.each { $0.pause(until: now + 60_000) }
    case .truncation:
      for count in 3...5 {
        var report = AirReport(
          extendedFrom: address, set: 0, properties: .scannable, rssi: -40, .made(by: Self.company, 1))
        report.header.dataStatus = .truncated
        report.data = Array(report.data.prefix(count))
        twins.each { $0.hear(report, at: now) }
      }
    case .directed:
      twins.each { $0.hear(AirReport(directedTo: .device(9), from: address, rssi: -40), at: now) }
    }
  }

  @Test("In a restless scene nothing depends on whether frames are known", arguments: UInt64(1)...6)
  func scene(seed: UInt64) {
    let twins = Twins(
      GatewayManifest(.ofTheScene) {
        $0.capacities.devices = 16
        $0.capacities.longPayloads = 3
        $0.capacities.matchesPerItem = 4
      })
    var scene = RandomScene(devices: seed % 2 == 0 ? 4 : 24, seed: seed)
    var dice = SeededGenerator(seed: seed, stream: 1)
    for step in 0..<1500 {
      var last: Int64 = 0
      for report in scene.next() {
        for packet in report.packets {
          twins.each { $0.receive(packet, at: Instant(microseconds: report.time)) }
        }
        last = report.time
      }
      if dice.chance(perMille: 20) {
        let number = UInt64(dice.number(below: 24))
        let isAccessory = dice.chance(perMille: 500)
        twins.each { $0.setAccessory(.device(number), isAccessory) }
      }
      if dice.chance(perMille: 5) { twins.each { $0.loseRadio(at: last / 1000) } }
      guard twins.agree(at: step) else {
        Issue.record("seed \(seed), step \(step)")
        return
      }
    }
    #expect(twins.harness.evaluations < twins.twin.evaluations)
  }
}
