// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Setup
import Testing
import VirtualRadio

@Suite("Sightings")
struct SightingTests {
  private let company: UInt16 = 0x0EEE

  // MARK: Lost

  @Test("A device of the default range is lost after 10 s of silence, at that time")
  func lost() {
    let harness = DataPathHarness(.company(company))
    harness.hear(1, -60, .made(by: company), at: 0)
    harness.hear(1, -60, .made(by: company), at: 100)
    harness.wait(until: 10_099)
    #expect(harness.lines() == ["0 found bulb 1 matched"])
    harness.hear(2, -60, .made(by: company), at: 30_000)
    #expect(harness.lines() == ["10100 lost bulb 1 silence", "30000 found bulb 2 matched"])
  }

  @Test(
    "A slow advertiser is lost after three of its intervals, at most 300 s",
    arguments: [(5000, 15_000), (60_000, 180_000), (100_000, 300_000), (200_000, 300_000)] as [(Int64, Int64)]
  )
  func slow(interval: Int64, patience: Int64) {
    let harness = DataPathHarness(.company(company))
    for step: Int64 in 0..<6 { harness.hear(1, -60, .made(by: company), at: interval * step) }
    _ = harness.lines()
    harness.wait(until: 10_000_000)
    #expect(harness.lines() == ["\(5 * interval + patience) lost bulb 1 silence"])
  }

  @Test("A slow advertiser that becomes a fast one is lost by its new interval")
  func shrinkingInterval() {
    let harness = DataPathHarness(.company(company))
    for step: Int64 in 0..<6 { harness.hear(1, -60, .made(by: company), at: 9000 * step) }
    for step: Int64 in 1...8 { harness.hear(1, -60, .made(by: company), at: 45_000 + 100 * step) }
    _ = harness.lines()
    harness.wait(until: 1_000_000)
    #expect(harness.lines() == ["55800 lost bulb 1 silence"])
  }

  @Test("The new interval holds when the fast reports have no reading")
  func shrinkingIntervalWithoutReadings() {
    let harness = DataPathHarness(.company(company))
    for step: Int64 in 0..<6 { harness.hear(1, -60, .made(by: company), at: 9000 * step) }
    for step: Int64 in 1...8 { harness.hear(1, 127, .made(by: company), at: 45_000 + 100 * step) }
    _ = harness.lines()
    harness.wait(until: 1_000_000)
    #expect(harness.lines() == ["55800 lost bulb 1 silence"])
  }

  @Test("A match ends with the silence of the set that bore it although another set of the device continues")
  func silentSet() {
    let harness = DataPathHarness(.company(company))
    let quiet = AdvertisingPayload().name("Lumo")
    func hear(_ set: UInt8, _ payload: AdvertisingPayload, at time: Int64) {
      let report = AirReport(
        extendedFrom: .device(1), set: set, properties: .connectable, rssi: -60, payload)
      harness.hear(report, at: time)
    }
    hear(1, .made(by: company), at: 0)
    for step: Int64 in 1...200 { hear(2, quiet, at: 100 * step) }
    #expect(harness.lines() == ["0 found bulb 1 matched", "10000 lost bulb 1 noLongerMatches"])
    hear(1, .made(by: company), at: 20_100)
    #expect(harness.lines() == ["20100 found bulb 1 matched"])
  }

  @Test("What comes back after a silence with the same payload is found again")
  func back() {
    let harness = DataPathHarness(.company(company))
    harness.hear(1, -60, .made(by: company), at: 0)
    harness.hear(1, -60, .made(by: company), at: 20_000)
    #expect(
      harness.lines() == [
        "0 found bulb 1 matched", "10000 lost bulb 1 silence", "20000 found bulb 1 matched",
      ])
  }

  @Test("When the radio goes away, every found device is lost, and one that comes back is found again")
  func radioDown() {
    let harness = DataPathHarness(.company(company), .immediate(company, "touch"))
    for step: Int64 in 0..<6 { harness.hear(1, -40, .made(by: company), at: 100 * step) }
    harness.hear(2, -90, .made(by: company), at: 600)
    _ = harness.lines()
    harness.loseRadio(at: 700)
    #expect(
      harness.lines() == [
        "700 lost touch 1 radioDown", "700 lost bulb 1 radioDown", "700 lost bulb 2 radioDown",
      ])
    harness.wait(until: 60_000)
    #expect(harness.lines() == [])
    harness.hear(1, -40, .made(by: company), at: 60_000)
    #expect(harness.lines() == ["60000 found bulb 1 matched"])
    #expect(harness.device(1)?.signal.readingCount == 1)
  }

  @Test("Dues between two inputs happen in the order of their times, and ties in the order of rows")
  func orderOfDues() {
    let harness = DataPathHarness(.company(company))
    for (time, device) in [(10, 2), (10, 4), (20, 3), (30, 1)] as [(Int64, UInt64)] {
      harness.hear(device, -60, .made(by: company), at: time)
    }
    _ = harness.lines()
    harness.wait(until: 100_000)
    #expect(
      harness.lines() == [
        "10010 lost bulb 2 silence", "10010 lost bulb 4 silence", "10020 lost bulb 3 silence",
        "10030 lost bulb 1 silence",
      ])
  }

  // MARK: Changed

  @Test("A changed payload is reported at once when the last event is a second old")
  func changed() {
    let harness = DataPathHarness(.company(company))
    harness.hear(1, -60, .made(by: company, 1), at: 0)
    harness.hear(1, -60, .made(by: company, 2), at: 1000)
    let sightings = harness.sightings()
    #expect(sightings.map(\.line) == ["0 found bulb 1 matched", "1000 changed bulb 1 payload"])
    #expect(sightings[1].payload == AdvertisingPayload.made(by: company, 2).bytes)
  }

  @Test("Changes within a second become one event at its end, with the latest bytes, and are counted")
  func coalesced() {
    let harness = DataPathHarness(.company(company))
    for step: Int64 in 0..<10 { harness.hear(1, -60, .made(by: company, UInt8(step)), at: 100 * step) }
    harness.wait(until: 5000)
    let sightings = harness.sightings()
    #expect(sightings.map(\.line) == ["0 found bulb 1 matched", "1000 changed bulb 1 payload"])
    #expect(sightings[1].payload.last == 9)
    #expect(harness.counters.changesCoalesced == 8)  // Nine changes, one event.
  }

  @Test("However often a payload changes, at most one event a second says so")
  func rate() {
    let harness = DataPathHarness(.company(company))
    for step: Int64 in 0..<1000 {
      harness.hear(1, -60, .made(by: company, UInt8(step & 255)), at: 10 * step)
    }
    let times = harness.sightings().map(\.milliseconds)
    #expect(times == Array(stride(from: 0, through: 9000, by: 1000)))
    harness.wait(until: 20_000)
    #expect(harness.counters.changed == 10)
    #expect(harness.counters.changed + harness.counters.changesCoalesced == 999)
  }

  @Test("A change that was waiting when the device is lost counts as coalesced")
  func lostChange() {
    let harness = DataPathHarness(.company(company))
    harness.hear(1, -60, .made(by: company, 1), at: 0)
    harness.hear(1, -60, .made(by: company, 2), at: 100)
    harness.loseRadio(at: 200)
    #expect(harness.lines() == ["0 found bulb 1 matched", "200 lost bulb 1 radioDown"])
    #expect(harness.counters.changesCoalesced == 1)
  }

  @Test("A scan response that changes is a change, one that repeats is none")
  func changedResponse() {
    let harness = DataPathHarness(.company(company))
    harness.hear(1, -60, .made(by: company), at: 0)
    harness.hear(response: AdvertisingPayload().name("A"), of: 1, -60, at: 2000)
    harness.hear(response: AdvertisingPayload().name("A"), of: 1, -60, at: 4000)
    #expect(harness.lines() == ["0 found bulb 1 matched", "2000 changed bulb 1 payload"])
  }

  @Test("Outside the gate a change is no event")
  func changeOutside() {
    let harness = DataPathHarness(.immediate(company))
    for step: Int64 in 0..<50 { harness.hear(1, -70, .made(by: company, UInt8(step)), at: 100 * step) }
    #expect(harness.lines() == [])
    #expect(harness.counters.changesCoalesced == 0)
  }

  // MARK: Time

  @Test("A time that runs backwards counts as the latest one and is counted")
  func backwards() {
    let harness = DataPathHarness(.company(company))
    harness.hear(1, -60, .made(by: company), at: 5000)
    harness.hear(2, -60, .made(by: company), at: 3000)
    #expect(harness.lines() == ["5000 found bulb 1 matched", "5000 found bulb 2 matched"])
    #expect(harness.counters.timesClamped == 1)
    #expect(harness.device(2)?.firstSeen == .milliseconds(5000))
    harness.wait(until: 14_999)
    #expect(harness.lines() == [])
    harness.wait(until: 15_000)
    #expect(harness.lines().count == 2)
  }

  @Test("The first time may be anything, the negative included")
  func firstTime() {
    let harness = DataPathHarness(.company(company))
    harness.hear(1, -60, .made(by: company), at: -50_000)
    harness.hear(1, -60, .made(by: company), at: -49_900)
    harness.wait(until: 0)
    #expect(harness.lines() == ["-50000 found bulb 1 matched", "-39900 lost bulb 1 silence"])
    #expect(harness.counters.timesClamped == 0)
  }

  // MARK: The tap

  @Test("Every packet that is no advertising report goes to the tap")
  func tap() {
    let harness = DataPathHarness(.company(company))
    let others = [
      PacketEncoder.commandComplete(0x0C03),
      PacketEncoder.command(0x200C, [1, 0]),
      PacketEncoder.acl(connection: 0x40, [1, 2, 3]),
      PacketEncoder.leMetaEvent(0x01, [UInt8](repeating: 0, count: 18)),  // LE Connection Complete
      PacketEncoder.leMetaEvent(0x12, [0, 1]),  // LE Advertising Set Terminated
      PacketEncoder.event(0xFF, [1]),  // of a vendor
      PacketEncoder.event(0x3E, []),  // LE Meta without a subevent
    ]
    for packet in others { #expect(harness.receive(packet, at: 0) == .other) }
    #expect(harness.counters.packetsTapped == UInt64(others.count))
    for packet: [UInt8] in [[], [9, 1, 2], [4], [4, 0x3E]] {
      #expect(harness.receive(packet, at: 0) == .malformed)
    }
    #expect(harness.counters.packetsMalformed == 4)
    #expect(harness.counters.packets == UInt64(others.count) + 4)
    #expect(harness.counters.reports == 0)
  }

  @Test("An event cut inside its second report delivers the first")
  func cutEvent() {
    let harness = DataPathHarness(.company(company))
    let report = AirReport(.connectable, from: .device(1), rssi: -60, .made(by: company))
    let other = AirReport(.connectable, from: .device(2), rssi: -60, .made(by: company))
    let packet = ReportEncoder.event(.legacy, report, other)
    #expect(harness.receive(Array(packet.dropLast(3)), at: 0) == .reports)
    #expect(harness.lines() == ["0 found bulb 1 matched"])
    #expect(harness.counters.reportsLostToTruncation == 1)
    #expect(harness.counters.eventsTruncated == 1)
  }
}
