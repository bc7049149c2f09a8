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
    let listener = Listener(.company(company))
    listener.hear(1, -60, .made(by: company), at: 0)
    listener.hear(1, -60, .made(by: company), at: 100)
    listener.wait(until: 10_099)
    #expect(listener.lines() == ["0 found bulb 1 matched"])
    listener.hear(2, -60, .made(by: company), at: 30_000)
    #expect(listener.lines() == ["10100 lost bulb 1 silence", "30000 found bulb 2 matched"])
  }

  @Test(
    "A slow advertiser is lost after three of its intervals, at most 300 s",
    arguments: [(5000, 15_000), (60_000, 180_000), (100_000, 300_000), (200_000, 300_000)] as [(Int64, Int64)]
  )
  func slow(interval: Int64, patience: Int64) {
    let listener = Listener(.company(company))
    for step: Int64 in 0..<6 { listener.hear(1, -60, .made(by: company), at: interval * step) }
    _ = listener.lines()
    listener.wait(until: 10_000_000)
    #expect(listener.lines() == ["\(5 * interval + patience) lost bulb 1 silence"])
  }

  @Test("A slow advertiser that becomes a fast one is lost by its new interval")
  func shrinkingInterval() {
    let listener = Listener(.company(company))
    for step: Int64 in 0..<6 { listener.hear(1, -60, .made(by: company), at: 9000 * step) }
    for step: Int64 in 1...8 { listener.hear(1, -60, .made(by: company), at: 45_000 + 100 * step) }
    _ = listener.lines()
    listener.wait(until: 1_000_000)
    #expect(listener.lines() == ["55800 lost bulb 1 silence"])
  }

  @Test("The new interval holds when the fast reports have no reading")
  func shrinkingIntervalWithoutReadings() {
    let listener = Listener(.company(company))
    for step: Int64 in 0..<6 { listener.hear(1, -60, .made(by: company), at: 9000 * step) }
    for step: Int64 in 1...8 { listener.hear(1, 127, .made(by: company), at: 45_000 + 100 * step) }
    _ = listener.lines()
    listener.wait(until: 1_000_000)
    #expect(listener.lines() == ["55800 lost bulb 1 silence"])
  }

  @Test("A set that falls silent takes its match with it although another set of the device goes on")
  func silentSet() {
    let listener = Listener(.company(company))
    let quiet = AdvertisingPayload().name("Lumo")
    func hear(_ set: UInt8, _ payload: AdvertisingPayload, at time: Int64) {
      let report = AirReport(
        extendedFrom: .device(1), set: set, properties: .connectable, rssi: -60, payload)
      listener.hear(report, at: time)
    }
    hear(1, .made(by: company), at: 0)
    for step: Int64 in 1...200 { hear(2, quiet, at: 100 * step) }
    #expect(listener.lines() == ["0 found bulb 1 matched", "10000 lost bulb 1 silence"])
    hear(1, .made(by: company), at: 20_100)
    #expect(listener.lines() == ["20100 found bulb 1 matched"])
  }

  @Test("What comes back after a silence with the same payload is found again")
  func back() {
    let listener = Listener(.company(company))
    listener.hear(1, -60, .made(by: company), at: 0)
    listener.hear(1, -60, .made(by: company), at: 20_000)
    #expect(
      listener.lines() == [
        "0 found bulb 1 matched", "10000 lost bulb 1 silence", "20000 found bulb 1 matched",
      ])
  }

  @Test("When the radio goes everything found is lost, and what comes back is found anew")
  func radioDown() {
    let listener = Listener(.company(company), .immediate(company, "touch"))
    for step: Int64 in 0..<6 { listener.hear(1, -40, .made(by: company), at: 100 * step) }
    listener.hear(2, -90, .made(by: company), at: 600)
    _ = listener.lines()
    listener.loseRadio(at: 700)
    #expect(
      listener.lines() == [
        "700 lost touch 1 radioDown", "700 lost bulb 1 radioDown", "700 lost bulb 2 radioDown",
      ])
    listener.wait(until: 60_000)
    #expect(listener.lines() == [])
    listener.hear(1, -40, .made(by: company), at: 60_000)
    #expect(listener.lines() == ["60000 found bulb 1 matched"])
    #expect(listener.device(1)?.signal.readingCount == 1)
  }

  @Test("Dues between two inputs happen in the order of their times, and ties in the order of rows")
  func orderOfDues() {
    let listener = Listener(.company(company))
    for (time, device) in [(10, 2), (10, 4), (20, 3), (30, 1)] as [(Int64, UInt64)] {
      listener.hear(device, -60, .made(by: company), at: time)
    }
    _ = listener.lines()
    listener.wait(until: 100_000)
    #expect(
      listener.lines() == [
        "10010 lost bulb 2 silence", "10010 lost bulb 4 silence", "10020 lost bulb 3 silence",
        "10030 lost bulb 1 silence",
      ])
  }

  // MARK: Changed

  @Test("A changed payload is reported at once when the last event is a second old")
  func changed() {
    let listener = Listener(.company(company))
    listener.hear(1, -60, .made(by: company, 1), at: 0)
    listener.hear(1, -60, .made(by: company, 2), at: 1000)
    let sightings = listener.sightings()
    #expect(sightings.map(\.line) == ["0 found bulb 1 matched", "1000 changed bulb 1 payload"])
    #expect(sightings[1].payload == AdvertisingPayload.made(by: company, 2).bytes)
  }

  @Test("Changes within a second become one event at its end, with the latest bytes, and are counted")
  func coalesced() {
    let listener = Listener(.company(company))
    for step: Int64 in 0..<10 { listener.hear(1, -60, .made(by: company, UInt8(step)), at: 100 * step) }
    listener.wait(until: 5000)
    let sightings = listener.sightings()
    #expect(sightings.map(\.line) == ["0 found bulb 1 matched", "1000 changed bulb 1 payload"])
    #expect(sightings[1].payload.last == 9)
    #expect(listener.counters.changesCoalesced == 8)  // Nine changes, one event.
  }

  @Test("However often a payload changes, at most one event a second says so")
  func rate() {
    let listener = Listener(.company(company))
    for step: Int64 in 0..<1000 {
      listener.hear(1, -60, .made(by: company, UInt8(step & 255)), at: 10 * step)
    }
    let times = listener.sightings().map(\.milliseconds)
    #expect(times == Array(stride(from: 0, through: 9000, by: 1000)))
    listener.wait(until: 20_000)
    #expect(listener.counters.changed == 10)
    #expect(listener.counters.changed + listener.counters.changesCoalesced == 999)
  }

  @Test("A change that was waiting when the device is lost counts as coalesced")
  func lostChange() {
    let listener = Listener(.company(company))
    listener.hear(1, -60, .made(by: company, 1), at: 0)
    listener.hear(1, -60, .made(by: company, 2), at: 100)
    listener.hear(1, -60, AdvertisingPayload(), at: 200)
    #expect(listener.lines() == ["0 found bulb 1 matched", "200 lost bulb 1 noLongerMatches"])
    #expect(listener.counters.changesCoalesced == 1)
  }

  @Test("A scan response that changes is a change, one that repeats is none")
  func changedResponse() {
    let listener = Listener(.company(company))
    listener.hear(1, -60, .made(by: company), at: 0)
    listener.hear(response: AdvertisingPayload().name("A"), of: 1, -60, at: 2000)
    listener.hear(response: AdvertisingPayload().name("A"), of: 1, -60, at: 4000)
    #expect(listener.lines() == ["0 found bulb 1 matched", "2000 changed bulb 1 payload"])
  }

  @Test("Outside the gate a change is no event")
  func changeOutside() {
    let listener = Listener(.immediate(company))
    for step: Int64 in 0..<50 { listener.hear(1, -70, .made(by: company, UInt8(step)), at: 100 * step) }
    #expect(listener.lines() == [])
    #expect(listener.counters.changesCoalesced == 0)
  }

  // MARK: Time

  @Test("A time that runs backwards counts as the latest one and is counted")
  func backwards() {
    let listener = Listener(.company(company))
    listener.hear(1, -60, .made(by: company), at: 5000)
    listener.hear(2, -60, .made(by: company), at: 3000)
    #expect(listener.lines() == ["5000 found bulb 1 matched", "5000 found bulb 2 matched"])
    #expect(listener.counters.timesClamped == 1)
    #expect(listener.device(2)?.firstSeen == .milliseconds(5000))
    listener.wait(until: 14_999)
    #expect(listener.lines() == [])
    listener.wait(until: 15_000)
    #expect(listener.lines().count == 2)
  }

  @Test("The first time may be anything, the negative included")
  func firstTime() {
    let listener = Listener(.company(company))
    listener.hear(1, -60, .made(by: company), at: -50_000)
    listener.hear(1, -60, .made(by: company), at: -49_900)
    listener.wait(until: 0)
    #expect(listener.lines() == ["-50000 found bulb 1 matched", "-39900 lost bulb 1 silence"])
    #expect(listener.counters.timesClamped == 0)
  }

  // MARK: The tap

  @Test("Every packet that is no advertising report goes to the tap")
  func tap() {
    let listener = Listener(.company(company))
    let others = [
      PacketEncoder.commandComplete(0x0C03),
      PacketEncoder.command(0x200C, [1, 0]),
      PacketEncoder.acl(connection: 0x40, [1, 2, 3]),
      PacketEncoder.leMetaEvent(0x01, [UInt8](repeating: 0, count: 18)),  // LE Connection Complete
      PacketEncoder.leMetaEvent(0x12, [0, 1]),  // LE Advertising Set Terminated
      PacketEncoder.event(0xFF, [1]),  // of a vendor
      PacketEncoder.event(0x3E, []),  // LE Meta without a subevent
    ]
    for packet in others { #expect(listener.receive(packet, at: 0) == .other) }
    #expect(listener.counters.packetsTapped == UInt64(others.count))
    for packet: [UInt8] in [[], [9, 1, 2], [4], [4, 0x3E]] {
      #expect(listener.receive(packet, at: 0) == .malformed)
    }
    #expect(listener.counters.packetsMalformed == 4)
    #expect(listener.counters.packets == UInt64(others.count) + 4)
    #expect(listener.counters.reports == 0)
  }

  @Test("An event cut inside its second report delivers the first")
  func cutEvent() {
    let listener = Listener(.company(company))
    let report = AirReport(.connectable, from: .device(1), rssi: -60, .made(by: company))
    let other = AirReport(.connectable, from: .device(2), rssi: -60, .made(by: company))
    let packet = ReportEncoder.event(.legacy, report, other)
    #expect(listener.receive(Array(packet.dropLast(3)), at: 0) == .reports)
    #expect(listener.lines() == ["0 found bulb 1 matched"])
    #expect(listener.counters.reportsLostToTruncation == 1)
    #expect(listener.counters.eventsTruncated == 1)
  }
}
