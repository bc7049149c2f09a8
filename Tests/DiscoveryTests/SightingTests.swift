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
    #expect(harness.lines(until: 10_099) == ["0 found bulb 1 matched"])
    harness.hear(2, -60, .made(by: company), at: 30_000)
    #expect(harness.lines() == ["10100 lost bulb 1 silence", "30000 found bulb 2 matched"])
  }

  @Test(
    "A device that copies an advertisement counts like the original, and with its address as the original")
  func copied() {
    let harness = DataPathHarness(.company(company))
    #expect(harness.setAccessory(.device(1)))
    harness.hear(1, -60, .made(by: company), at: 0)
    harness.hear(2, -60, .made(by: company), at: 100)
    #expect(harness.lines() == ["0 found bulb 1 matched", "100 found bulb 2 matched"])
    // The accessory has left; the copy sends as it did, from elsewhere.
    for second: Int64 in 1...20 { harness.hear(1, -90, .made(by: company), at: 1000 * second) }
    #expect(harness.lines(until: 20_000) == ["10100 lost bulb 2 silence"])
    #expect(harness.device(at: .device(1))?.isAccessory == true && harness.deviceCount == 2)
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
    #expect(harness.lines(until: 60_000) == [])
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

  @Test("Of the changes within a second the newest four are reported at its end, and the others counted")
  func skipped() {
    let harness = DataPathHarness(.company(company))
    for step: Int64 in 0..<10 { harness.hear(1, -60, .made(by: company, UInt8(step)), at: 100 * step) }
    harness.wait(until: 5000)
    let sightings = harness.sightings()
    #expect(sightings.map(\.milliseconds) == [0, 1000, 1000, 1000, 1000])
    #expect(sightings.map { $0.payload.last } == [0, 6, 7, 8, 9])
    #expect(sightings.map(\.sighting.skipped) == [0, 5, 0, 0, 0])
    #expect(harness.counters.changesSkipped == 5)
  }

  @Test("Changes that wait when the device is lost are counted in the event")
  func lostChange() {
    let harness = DataPathHarness(.company(company))
    harness.hear(1, -60, .made(by: company, 1), at: 0)
    harness.hear(1, -60, .made(by: company, 2), at: 100)
    harness.loseRadio(at: 200)
    let sightings = harness.sightings()
    #expect(sightings.map(\.line) == ["0 found bulb 1 matched", "200 lost bulb 1 radioDown"])
    #expect(sightings.map(\.sighting.skipped) == [0, 1])
    #expect(harness.counters.changesSkipped == 1)
  }

  @Test("The first scan response is no change, and one that changes is")
  func changedResponse() {
    let harness = DataPathHarness(.company(company))
    harness.hear(1, -60, .made(by: company), at: 0)
    harness.hear(response: AdvertisingPayload().name("A"), of: 1, -60, at: 2000)
    harness.hear(response: AdvertisingPayload().name("A"), of: 1, -60, at: 4000)
    harness.hear(response: AdvertisingPayload().name("B"), of: 1, -60, at: 6000)
    let sightings = harness.sightings()
    #expect(sightings.map(\.line) == ["0 found bulb 1 matched", "6000 changed bulb 1 payload"])
    let payload = AdvertisingPayload.made(by: company).bytes + AdvertisingPayload().name("B").bytes
    #expect(sightings.last?.payload == payload)
  }

  @Test("Outside the gate a change is no event")
  func changeOutside() {
    let harness = DataPathHarness(.immediate(company))
    for step: Int64 in 0..<50 { harness.hear(1, -70, .made(by: company, UInt8(step)), at: 100 * step) }
    #expect(harness.lines() == [])
    #expect(harness.counters.changesSkipped == 0)
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
    #expect(harness.lines(until: 14_999) == [])
    #expect(harness.lines(until: 15_000).count == 2)
  }

  @Test("The first time may be anything, the negative included")
  func firstTime() {
    let harness = DataPathHarness(.company(company))
    harness.hear(1, -60, .made(by: company), at: -50_000)
    harness.hear(1, -60, .made(by: company), at: -49_900)
    #expect(harness.lines(until: 0) == ["-50000 found bulb 1 matched", "-39900 lost bulb 1 silence"])
    #expect(harness.counters.timesClamped == 0)
  }

  @Test("A report at a clock's last instant is a report like any other")
  func lastTime() {
    let harness = DataPathHarness(.company(company))
    let report = AirReport(.connectable, from: .device(1), rssi: -60, .made(by: company))
    let packet = ReportEncoder.event(.legacy, report)
    for _ in 0..<2 { #expect(harness.receive(packet, at: Instant(microseconds: .max)) == .reports) }
    #expect(harness.counters.reports == 2)
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
