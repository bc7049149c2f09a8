// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

/// Which frames of a found device are reported as changes.
@Suite("Frames")
struct FrameTests {
  private let company: UInt16 = 0x0EEE

  private static func eddystone(_ type: UInt8, _ data: [UInt8] = [0, 1, 2, 3]) -> AdvertisingPayload {
    AdvertisingPayload().services(BluetoothUUID(short: 0xFEAA))
      .serviceData(BluetoothUUID(short: 0xFEAA), [type] + data)
  }

  /// Each a kind of its own: Eddystone frames of three types, two of Apple's, and another company's data.
  private static let kinds: [AdvertisingPayload] =
    [0x00, 0x10, 0x20].map { eddystone($0) }
    + [0x02, 0x10].map { AdvertisingPayload().manufacturerData(0x004C, [$0, 1, 2]) }
    + [AdvertisingPayload().manufacturerData(2, [7])]

  private static var item: DisplayItem {
    var item = DisplayItem(id: "beacon", name: "beacon")
    item.descriptor.serviceUUID = BluetoothUUID(short: 0xFEAA)
    item.descriptor.serviceData = MaskedBytes(blob: [0x00])
    return item
  }

  private func changes(in harness: DataPathHarness) -> [HeardSighting] {
    harness.sightings().filter { $0.sighting.event == .changed }
  }

  // MARK: Alternating frames

  @Test(
    "Constant frames of different kinds make no changes", arguments: 2...6,
    [100, 700, 1000, 3000] as [Int64])
  func kinds(count: Int, interval: Int64) {
    let harness = DataPathHarness(Self.item)
    for step in 0..<120 { harness.hear(1, -60, Self.kinds[step % count], at: interval * Int64(step)) }
    #expect(harness.lines() == ["0 found beacon 1 matched"])
  }

  @Test(
    "Constant frames of one kind are each sent three times at most", arguments: 2...6,
    [30, 400, 1000] as [Int64])
  func oneKind(count: Int, interval: Int64) {
    let harness = DataPathHarness(.company(company))
    for step in 0..<300 {
      harness.hear(1, -60, .made(by: company, UInt8(step % count)), at: interval * Int64(step))
    }
    let sent = harness.sightings().map { $0.payload.last ?? 0 }
    for frame in 0..<count { #expect(sent.count { $0 == UInt8(frame) } <= 3) }
    // Faster ones take each other's places while they wait.
    if interval == 1000 { #expect(sent.count >= count) }
  }

  @Test("Of a beacon whose counter changes beside constant frames only the counter's frames are sent")
  func counter() {
    let harness = DataPathHarness(Self.item)
    for step in 0..<120 {
      let frames = [Self.kinds[0], Self.kinds[1], Self.eddystone(0x20, [0, UInt8(step)])]
      harness.hear(1, -60, frames[step % 3], at: 1000 * Int64(step))
    }
    let changed = changes(in: harness)
    #expect(changed.count == 39)
    #expect(changed.allSatisfy { $0.payload.contains(0x20) })
  }

  @Test("What a contact sends that toggles as fast as a beacon alternates is counted where it is not sent")
  func heldBack() {
    let harness = DataPathHarness(.company(company))
    for step: Int64 in 0..<20 { harness.hear(1, -60, .made(by: company, UInt8(step % 2)), at: 2000 * step) }
    #expect(harness.counters.changesHeldBack + UInt64(changes(in: harness).count) == 19)
    #expect(harness.counters.changesHeldBack > 10)
  }

  @Test("A frame that alternated is sent when it has been the only one of its kind for ten seconds")
  func settled() {
    let harness = DataPathHarness(.company(company))
    for step: Int64 in 0..<40 { harness.hear(1, -60, .made(by: company, UInt8(step % 2)), at: 500 * step) }
    _ = harness.lines()
    // It stays at 0: the last that was sent is 1.
    for step: Int64 in 40..<80 { harness.hear(1, -60, .made(by: company, 0), at: 500 * step) }
    let sightings = harness.sightings()
    #expect(sightings.map(\.line) == ["30000 changed bulb 1 payload"])
    #expect(sightings.last?.payload.last == 0)
  }

  @Test("One that settles beside frames of other kinds is sent when it is next heard")
  func settledBesideOthers() {
    let harness = DataPathHarness(.company(company))
    let other = AdvertisingPayload().name("Lumo")
    for step: Int64 in 0..<40 {
      harness.hear(1, -60, .made(by: company, UInt8(step % 2)), at: 500 * step)
      harness.hear(1, -60, other, at: 500 * step + 100)
    }
    _ = harness.lines()
    for step: Int64 in 40..<80 {
      harness.hear(1, -60, .made(by: company, 0), at: 500 * step)
      harness.hear(1, -60, other, at: 500 * step + 100)
    }
    #expect(harness.lines() == ["30000 changed bulb 1 payload"])
  }

  @Test("Events never end with a scan response that alternated and is over", arguments: UInt64(1)...40)
  func lastResponse(seed: UInt64) {
    let harness = DataPathHarness(.company(company))
    var dice = SeededGenerator(seed: seed)
    var last: UInt8 = 0
    for step: Int64 in 0..<120 {
      if step % 2 == 0 { last = UInt8(dice.number(below: 2)) }
      harness.hear(1, -60, .made(by: company, UInt8(step / 10)), at: 500 * step)
      harness.hear(response: .made(by: 3, last), of: 1, -60, at: 500 * step + 10)
    }
    for step: Int64 in 120..<160 {
      harness.hear(1, -60, .made(by: company, 11), at: 500 * step)
      harness.hear(response: .made(by: 3, last), of: 1, -60, at: 500 * step + 10)
    }
    #expect(harness.sightings().last?.payload.last == last)
  }

  // MARK: States

  @Test(
    "A contact that opens, closes, opens and closes makes four changes",
    arguments: [3000, 1000, 12_000, 60_000] as [Int64])
  func contact(interval: Int64) {
    let harness = DataPathHarness(.rhythmic(company))
    for step in 0..<5 {
      for copy: Int64 in 0..<3 {
        harness.hear(1, -60, .made(by: company, UInt8(step % 2)), at: interval * Int64(step) + 30 * copy)
      }
    }
    let sightings = harness.sightings()
    #expect(sightings.map(\.sighting.event) == [.found, .changed, .changed, .changed, .changed])
    #expect(sightings.map { $0.payload.last } == [0, 1, 0, 1, 0])
  }

  @Test("What a device sends last reaches the events, however it toggled before", arguments: UInt64(1)...30)
  func lastState(seed: UInt64) {
    let harness = DataPathHarness(.rhythmic(company))
    var dice = SeededGenerator(seed: seed)
    var time: Int64 = 0
    var last: UInt8 = 0
    for _ in 0..<200 {
      last = UInt8(dice.number(below: 3))
      harness.hear(1, -60, .made(by: company, last), at: time)
      time += Int64([20, 300, 2000, 9000, 30_000][dice.number(below: 5)])
    }
    for step: Int64 in 0..<30 { harness.hear(1, -60, .made(by: company, last), at: time + 1000 * step) }
    #expect(harness.sightings().last?.payload.last == last)
  }

  @Test(
    "A frame of a kind that was not heard before is sent like any other, but not while the kinds are being learned"
  )
  func newKind() {
    let harness = DataPathHarness(.company(company))
    let open = AdvertisingPayload.made(by: company).services(BluetoothUUID(short: 0x180F))
    harness.hear(1, -60, .made(by: company), at: 0)
    harness.hear(1, -60, .made(by: company).name("Lumo"), at: 9000)
    harness.hear(1, -60, .made(by: company), at: 18_000)
    #expect(harness.lines() == ["0 found bulb 1 matched"])
    harness.hear(1, -60, open, at: 19_000)
    let sightings = harness.sightings()
    #expect(sightings.map(\.line) == ["19000 changed bulb 1 payload"])
    #expect(sightings.last?.payload == open.bytes)
    // It is constant from now on.
    for step: Int64 in 0..<9 {
      harness.hear(1, -60, step % 2 == 0 ? .made(by: company) : open, at: 20_000 + 1000 * step)
    }
    #expect(harness.lines() == [])
  }

  @Test(
    "A reading in the place of the company or the UUID is sent or counted, and sent after the first half minute",
    arguments: [1000, 5000, 9000, 12_000] as [Int64], [false, true])
  func readingAsKind(interval: Int64, isService: Bool) {
    var item = DisplayItem(id: "meter", name: "meter")
    item.descriptor.nameSubstring = Array("TP358".utf8)
    let harness = DataPathHarness(item)
    for step in 0..<60 {
      let reading = UInt16(0xC200 + 37 * step)
      let payload = AdvertisingPayload().name("TP358")
      harness.hear(
        1, -60,
        isService
          ? payload.serviceData(BluetoothUUID(short: UInt32(reading)), [7])
          : payload.manufacturerData(reading, [7]), at: interval * Int64(step))
    }
    harness.wait(until: 61 * interval)
    let changed = changes(in: harness)
    #expect(changed.count >= 59 - 30_000 / Int(interval) - 8)
    let counters = harness.counters
    #expect(changed.count + Int(counters.changesHeldBack + counters.changesSkipped) == 59)
  }

  @Test("Kinds that come after the device has shown what it alternates are each sent")
  func lateKinds() {
    let harness = DataPathHarness(.company(company))
    for second: Int64 in 0..<60 { harness.hear(1, -60, .made(by: company), at: 1000 * second) }
    for press in 0..<3 { harness.hear(1, -60, Self.kinds[press], at: 60_000 + 4000 * Int64(press)) }
    #expect(changes(in: harness).map(\.sighting.time.microseconds) == [60_000_000, 64_000_000, 68_000_000])
  }

  @Test(
    "With more kinds than are remembered each frame is sent or counted",
    arguments: [(8, 992, 0), (9, 0, 992)] as [(Int, Int, UInt64)])
  func manyKinds(kinds: Int, changed: Int, leftOut: UInt64) {
    let harness = DataPathHarness(.company(company))
    for step in 0..<1000 {
      let payload = AdvertisingPayload().manufacturerData(company, [UInt8(step / kinds)])
        .manufacturerData(UInt16(step % kinds), [])
      harness.hear(1, -60, payload, at: 1000 * Int64(step))
    }
    // The first frame of each kind is none.
    #expect(changes(in: harness).count == changed)
    #expect(harness.counters.changesSkipped == leftOut)
    harness.wait(until: 2_000_000)
    #expect(harness.sightings().last?.sighting.skipped == UInt32(leftOut))
  }

  @Test("A frame that does not match is sent when it changes")
  func otherFrame() {
    let harness = DataPathHarness(Self.item)
    for step in 0..<60 {
      let reading = AdvertisingPayload().manufacturerData(0x0A5D, [UInt8(step)])
      harness.hear(1, -60, step % 2 == 0 ? Self.kinds[0] : reading, at: 2000 * Int64(step))
    }
    let changed = changes(in: harness)
    #expect(changed.count == 29)
    #expect(changed.allSatisfy { $0.payload.contains(0x5D) })
  }

  // MARK: Short events

  @Test("Four presses in 1.2 seconds are four events")
  func presses() {
    let harness = DataPathHarness(.company(company))
    for press: Int64 in 0...4 {
      for copy: Int64 in 0..<5 {
        harness.hear(1, -60, .made(by: company, UInt8(press)), at: 300 * press + 30 * copy)
      }
    }
    harness.wait(until: 5000)
    let sightings = harness.sightings()
    #expect(sightings.map { $0.payload.last } == [0, 1, 2, 3, 4])
    #expect(sightings.allSatisfy { $0.sighting.skipped == 0 })
  }

  @Test("Of a dimmer's steps each is sent or counted")
  func dimmer() {
    let harness = DataPathHarness(.company(company))
    for step: Int64 in 0..<20 { harness.hear(1, -60, .made(by: company, UInt8(step)), at: 50 * step) }
    harness.wait(until: 5000)
    let sightings = harness.sightings()
    let skipped = sightings.map { Int($0.sighting.skipped) }.reduce(0, +)
    #expect(sightings.count == 5 && sightings.last?.payload.last == 19)
    #expect(sightings.count - 1 + skipped == 19)
    #expect(harness.counters.changesSkipped == UInt64(skipped))
  }

  @Test("A button's first press is an event, also when it was found by a frame that has its name only")
  func firstPress() {
    var item = Self.button
    item.descriptor = DiscoveryDescriptor()
    item.descriptor.nameSubstring = [UInt8]("Lumo".utf8)
    let harness = DataPathHarness(item)
    let idle = AdvertisingPayload().name("Lumo")
    harness.hear(1, -60, idle, at: 0)
    for number: Int64 in 1...5 {
      for copy: Int64 in 0..<4 {
        harness.hear(1, -60, Self.btHome(UInt8(number)), at: 3000 * number + 50 * copy)
      }
      harness.hear(1, -60, idle, at: 3000 * number + 500)
    }
    let sightings = harness.sightings()
    #expect(sightings.map(\.milliseconds) == [0, 3000, 6000, 9000, 12_000, 15_000])
  }

  private static func btHome(_ number: UInt8, information: UInt8 = 0x44) -> AdvertisingPayload {
    AdvertisingPayload().flags(0x06)
      .serviceData(BluetoothUUID(short: 0xFCD2), [information, 0x00, number, 0x3A, 0x01])
  }

  private static var button: DisplayItem {
    var item = DisplayItem(id: "button", name: "button")
    item.descriptor.serviceUUID = BluetoothUUID(short: 0xFCD2)
    return item
  }

  @Test("Each packet number of BTHome is an event at once, twenty a second at most; the others wait")
  func packetNumbers() {
    let harness = DataPathHarness(Self.button)
    for number: Int64 in 0..<8 { harness.hear(1, -60, Self.btHome(UInt8(number)), at: 100 * number) }
    #expect(harness.sightings().map(\.milliseconds) == Array(stride(from: 0, through: 700, by: 100)))
    for number: Int64 in 8..<48 { harness.hear(1, -60, Self.btHome(UInt8(number)), at: 10_000 + 10 * number) }
    let flood = harness.sightings()
    #expect(flood.count == 20 && flood.last?.payload.suffix(3).first == 27)
    harness.wait(until: 12_000)
    let waited = harness.sightings()
    #expect(waited.map { $0.payload.suffix(3).first } == [44, 45, 46, 47])
    #expect(waited.first?.sighting.skipped == 16)
  }

  @Test("So is each of BTHome 1, wherever it stands, and each counter of an encrypted packet")
  func packetNumbersOfVersion1() {
    let layouts: [(service: UInt32, data: (UInt8) -> [UInt8], count: Int)] = [
      (0x181C, { [0x02, 0x00, $0, 0x23, 0x02, 0xC4, 0x09] }, 8),
      (0x181C, { [0x23, 0x02, 0xC4, 0x09, 0x02, 0x00, $0] }, 8),
      (0x181E, { [0xA1, 0xB2, 0xC3, 0xD4, $0, 0x00, 0x00, 0x00, 1, 2, 3, 4] }, 8),
      // A reading is none, nor is what has been cut off.
      (0x181C, { [0x23, 0x02, $0, 0x09] }, 1), (0x181C, { [0x23, $0, 0xC4, 0x02, 0x00] }, 1),
      (0x181E, { [0xA1, $0, 0xC3] }, 1),
    ]
    for layout in layouts {
      let service = BluetoothUUID(short: layout.service)
      var item = DisplayItem(id: "button", name: "button")
      item.descriptor.serviceUUID = service
      let harness = DataPathHarness(item)
      for number: UInt8 in 1...8 {
        let payload = AdvertisingPayload().flags(0x06).serviceData(service, layout.data(number))
        for copy: Int64 in 0..<3 { harness.hear(1, -60, payload, at: 100 * Int64(number) + 10 * copy) }
      }
      #expect(harness.sightings().count == layout.count, "\(layout.data(1))")
    }
  }

  @Test("An encrypted packet has no number that can be read")
  func encrypted() {
    let harness = DataPathHarness(Self.button)
    for number: Int64 in 0..<8 {
      harness.hear(1, -60, Self.btHome(UInt8(number), information: 0x45), at: 100 * number)
    }
    #expect(harness.sightings().count == 1)
  }

  @Test("An item has its own interval")
  func interval() {
    let slow = DisplayItem.company(company) { $0.changedIntervalMilliseconds = 5000 }
    let fast = DisplayItem.company(company, "fast") { $0.changedIntervalMilliseconds = 50 }
    let harness = DataPathHarness(slow, fast)
    for step: Int64 in 0..<10 { harness.hear(1, -60, .made(by: company, UInt8(step)), at: 100 * step) }
    harness.wait(until: 9000)
    let lines = harness.lines()
    #expect(lines.filter { $0.contains("changed fast") }.count == 9)
    #expect(
      lines.filter { $0.contains("changed bulb") }
        == Array(repeating: "5000 changed bulb 1 payload", count: 4))
  }

  // MARK: Tables

  @Test("Payloads too long to wait are sent from their set, the newest of each")
  func long() {
    let harness = DataPathHarness(.company(company))
    for step: UInt8 in 0..<5 {
      let payload = AdvertisingPayload().manufacturerData(company, [UInt8](repeating: step, count: 100))
      let report = AirReport(
        extendedFrom: .device(1), set: 1, properties: .connectable, rssi: -60, payload)
      harness.hear(report, at: 100 * Int64(step))
    }
    harness.wait(until: 3000)
    let sightings = harness.sightings()
    #expect(sightings.map { $0.payload.last } == [0, 4])
    #expect(sightings.map(\.sighting.skipped) == [0, 3])
  }

  @Test(
    "With more changing devices than the table of frames has places, every change is sent or counted")
  func crowd() {
    let harness = DataPathHarness(.company(company)) {
      $0.capacities.devices = 600
      $0.capacities.matchesPerItem = 600
      $0.capacities.events = 65_536
      $0.capacities.eventBytes = 1 << 20
    }
    for round: Int64 in 0..<3 {
      for number: UInt64 in 0..<600 {
        harness.hear(number, -60, .made(by: company, UInt8(round)), at: 300 * round + Int64(number) / 10)
      }
    }
    harness.wait(until: 5000)
    let sightings = harness.sightings()
    #expect(sightings.count { $0.sighting.event == .found } == 600)
    let changed = sightings.filter { $0.sighting.event == .changed }
    #expect(changed.count + Int(harness.counters.changesSkipped) == 1200)
    #expect(changed.map { Int($0.sighting.skipped) }.reduce(0, +) == Int(harness.counters.changesSkipped))
  }

  @Test(
    "What each of many devices sends last reaches the events, and no device has more than one in its interval",
    arguments: [256, 300] as [UInt64], [2, 5] as [Int64])
  func crowdedStates(devices: UInt64, steps: Int64) {
    let harness = DataPathHarness(.company(company)) {
      $0.capacities.devices = 600
      $0.capacities.matchesPerItem = 600
      $0.capacities.events = 65_536
      $0.capacities.eventBytes = 1 << 20
    }
    func hear(_ step: Int64, at time: Int64) {
      for number in 0..<devices {
        harness.hear(number, -60, .made(by: company, UInt8(step)), at: time + Int64(number) / 10)
      }
    }
    for step in 0..<steps { hear(step, at: 100 * step) }
    hear(steps - 1, at: 3000)
    let all = Dictionary(grouping: harness.sightings(), by: \.sighting.address.bits)
    #expect(all.count == Int(devices))
    for sightings in all.values {
      #expect(sightings.last?.payload.last == UInt8(steps - 1))
      let skipped = sightings.map { Int($0.sighting.skipped) }.reduce(0, +)
      #expect(sightings.count - 1 + skipped == steps - 1)
      #expect(sightings.dropFirst().allSatisfy { $0.milliseconds >= 1000 })
    }
  }

  @Test(
    "Constant frames of different kinds make no changes, however many devices alternate them",
    arguments: [300] as [UInt64])
  func crowdedBeacons(devices: UInt64) {
    let harness = DataPathHarness(.company(company)) {
      $0.capacities.devices = 600
      $0.capacities.matchesPerItem = 600
    }
    for round: Int64 in 0..<24 {
      for number in 0..<devices {
        let payload: AdvertisingPayload =
          round % 2 == 0
          ? .made(by: company, 1) : AdvertisingPayload().manufacturerData(company, [1]).flags(6)
        harness.hear(number, -60, payload, at: 500 * round + Int64(number))
      }
    }
    let changed = harness.sightings().filter { $0.sighting.event == .changed }
    #expect(changed.isEmpty, "\(changed.count)")
  }

  @Test(
    "A door's last state is sent in time, however many frames wait for another item",
    arguments: [63, 64, 90, 300] as [UInt64])
  func sharedPool(others: UInt64) {
    let slow = DisplayItem.rhythmic(company, "slow") { $0.changedIntervalMilliseconds = 3_600_000 }
    let harness = DataPathHarness(slow, .rhythmic(2, "door")) {
      $0.capacities.devices = 400
      $0.capacities.matchesPerItem = 400
    }
    harness.hear(1000, -60, .made(by: 2, 0), at: 0)
    for round: UInt8 in 0..<6 {
      for number in 0..<others {
        harness.hear(number, -60, .made(by: company, round), at: 10_000 * Int64(round) + Int64(number))
      }
    }
    let door: [(UInt8, Int64)] = [(1, 60_000), (0, 60_200), (1, 60_400), (0, 60_600)]
    for (state, time) in door { harness.hear(1000, -60, .made(by: 2, state), at: time) }
    harness.wait(until: 61_500)
    let events = harness.sightings().filter { $0.item == "door" }
    #expect(events.last?.payload.last == 0)
    #expect(events.count + events.map { Int($0.sighting.skipped) }.reduce(0, +) == 5)
    // With as many as there are places, the door has no more.
    if others < 256 { #expect(events.map { $0.payload.last } == [0, 1, 0, 1, 0]) }
  }
}
