// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Merge")
struct MergeTests {
  private let both = DisplayItem.company(0x0EEE, "both") {
    $0.descriptor.nameSubstring = Array("Lumo".utf8)
  }
  private let name = AdvertisingPayload().name("Lumo 7")

  private func set(
    _ id: UInt8, _ payload: AdvertisingPayload, _ properties: ReportHeader.Properties = .connectable
  ) -> AirReport {
    AirReport(extendedFrom: .device(1), set: id, properties: properties, rssi: -60, payload)
  }

  @Test("Advertising data and scan response meet one descriptor together")
  func bothParts() {
    let harness = DataPathHarness(both)
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    #expect(harness.lines() == [])
    harness.hear(response: name, of: 1, -60, at: 1)
    let found = harness.sightings()
    #expect(found.map(\.line) == ["1 found both 1 matched"])
    #expect(found[0].payload == AdvertisingPayload.made(by: 0x0EEE).bytes + name.bytes)
  }

  @Test("The order of the parts does not matter")
  func responseFirst() {
    let harness = DataPathHarness(both)
    harness.hear(response: name, of: 1, -60, at: 0)
    harness.hear(1, -60, .made(by: 0x0EEE), at: 100)
    #expect(harness.lines() == ["100 found both 1 matched"])
  }

  @Test("Another address, or the same address of another type, is another device")
  func addresses() {
    let harness = DataPathHarness(both)
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    harness.hear(response: name, of: 2, -60, at: 1)
    let twin = DeviceAddress(bits: DeviceAddress.device(1).bits, type: .public)
    harness.hear(AirReport(.scanResponse, from: twin, rssi: -60, name), at: 2)
    #expect(harness.lines() == [])
    #expect(harness.deviceCount == 3)
  }

  @Test("A new payload replaces the old one of its part alone")
  func replacement() {
    let harness = DataPathHarness(both)
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    harness.hear(response: name, of: 1, -60, at: 1)
    harness.hear(response: AdvertisingPayload().name("Else"), of: 1, -60, at: 2)
    #expect(harness.found(1) == ["both"])
    for step: Int64 in 1...20 {
      harness.hear(response: AdvertisingPayload().name("Else"), of: 1, -60, at: 500 * step)
    }
    harness.wait(until: 10_002)
    #expect(
      harness.lines() == [
        "1 found both 1 matched", "1001 changed both 1 payload", "10002 lost both 1 noLongerMatches",
      ])
    harness.hear(response: name, of: 1, -60, at: 10_003)
    #expect(harness.lines() == ["10003 found both 1 matched"])
  }

  @Test("Parts of two sets do not meet one descriptor")
  func sets() {
    let harness = DataPathHarness(both)
    harness.hear(set(1, .made(by: 0x0EEE)), at: 0)
    harness.hear(set(2, name), at: 1)
    #expect(harness.lines() == [])
    harness.hear(set(1, .made(by: 0x0EEE).name("Lumo")), at: 2)
    #expect(harness.lines() == ["2 found both 1 matched"])
    #expect(harness.deviceCount == 1)
  }

  @Test("One set that matches is enough, and the item stays found while another set says something else")
  func oneSetBears() {
    let harness = DataPathHarness(.company(0x0EEE))
    harness.hear(set(1, .made(by: 0x0EEE)), at: 0)
    harness.hear(set(2, name), at: 10)
    harness.hear(set(2, AdvertisingPayload().name("Other")), at: 20)
    #expect(harness.lines() == ["0 found bulb 1 matched"])
    harness.hear(set(1, name), at: 30)
    harness.hear(set(1, name), at: 40)
    harness.wait(until: 10_030)
    #expect(harness.lines() == ["1000 changed bulb 1 payload", "10030 lost bulb 1 noLongerMatches"])
  }

  @Test("However fast a device alternates frames, it is found once, and nothing has changed")
  func alternating() {
    let harness = DataPathHarness(.company(0x0EEE), .immediate(0x0EEE, "touch"))
    for step: Int64 in 0..<2000 {
      harness.hear(1, -35, step % 2 == 0 ? .made(by: 0x0EEE) : name, at: 10 * step)
    }
    let lines = harness.lines()
    #expect(lines == ["0 found bulb 1 matched", "400 found touch 1 entered"])
    // Every reading was taken, whatever its frame.
    #expect(harness.device(1)?.signal.readingCount == 2000)
  }

  @Test("A device that leaves with a frame that does not match is lost in each silence time once at most")
  func rareFrame() {
    let harness = DataPathHarness(.company(0x0EEE))
    for step: Int64 in 0..<600 {
      harness.hear(1, -60, step % 60 == 0 ? .made(by: 0x0EEE) : name, at: 250 * step)
    }
    let times = harness.sightings().filter { $0.sighting.event != .changed }.map(\.milliseconds)
    // The frame comes every 15 s; it is replaced after 250 ms, and 10 s later the match ends.
    let starts: [Int64] = (0..<10).map { 15_000 * $0 }
    #expect(times == starts.flatMap { [$0, $0 + 10_250] })
  }

  @Test("A change is reported when the interval is over, whatever frame is on the air then")
  func changeBetweenFrames() {
    let harness = DataPathHarness(.company(0x0EEE))
    harness.hear(1, -60, .made(by: 0x0EEE, 1), at: 0)
    harness.hear(1, -60, .made(by: 0x0EEE, 2), at: 500)
    harness.hear(1, -60, name, at: 900)
    harness.wait(until: 2000)
    let sightings = harness.sightings()
    #expect(sightings.map(\.line) == ["0 found bulb 1 matched", "1000 changed bulb 1 payload"])
    #expect(sightings.last?.payload == AdvertisingPayload.made(by: 0x0EEE, 2).bytes)
    harness.hear(1, -60, .made(by: 0x0EEE, 2), at: 2500)
    #expect(harness.lines() == [])
  }

  @Test("A report without a set id merges with the newest set")
  func withoutSet() {
    let harness = DataPathHarness(both)
    harness.hear(set(1, AdvertisingPayload()), at: 0)
    harness.hear(set(2, .made(by: 0x0EEE)), at: 1)
    harness.hear(response: name, of: 1, -60, at: 2)
    #expect(harness.lines() == ["2 found both 1 matched"])
  }

  @Test("A set with an id takes over what was heard without one, and its match with it")
  func adoption() {
    let harness = DataPathHarness(.company(0x0EEE))
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    harness.hear(set(3, .made(by: 0x0EEE)), at: 10)
    harness.hear(set(3, .made(by: 0x0EEE)), at: 20)
    #expect(harness.lines() == ["0 found bulb 1 matched"])
    harness.hear(set(3, name), at: 30)
    harness.hear(set(3, name), at: 40)
    #expect(harness.lines(until: 10_030) == ["10030 lost bulb 1 noLongerMatches"])
  }

  @Test("Fragments are one payload, and nothing is matched before the last")
  func fragments() {
    let harness = DataPathHarness(both)
    let payload = AdvertisingPayload.made(by: 0x0EEE).structure(0x26, [UInt8](repeating: 0xAB, count: 250))
      .name("Lumo")
    let packets = ReportEncoder.chain(set(1, payload), fragmentByteCount: 100)
    #expect(packets.count == 3)
    for (index, packet) in packets.enumerated() {
      #expect(harness.lines() == [])
      harness.receive(packet, at: 10 * Int64(index))
    }
    let found = harness.sightings()
    #expect(found.map(\.line) == ["20 found both 1 matched"])
    #expect(found[0].payload == payload.bytes)
    #expect(harness.device(1)?.reportCount == 1)
    #expect(harness.counters.reports == 3)
  }

  @Test("A truncated beginning of a known payload changes nothing")
  func truncatedPrefix() {
    let harness = DataPathHarness(both)
    let payload = AdvertisingPayload.made(by: 0x0EEE).name("Lumo")
    harness.hear(set(1, payload), at: 0)
    var cut = set(1, AdvertisingPayload(raw: Array(payload.bytes.prefix(7))))
    cut.header.dataStatus = .truncated
    harness.hear(cut, at: 2000)
    #expect(harness.lines() == ["0 found both 1 matched"])
    #expect(harness.counters.reportsTruncated == 1)
    cut.data[4] ^= 1
    for step: Int64 in 3...13 { harness.hear(cut, at: 1000 * step) }
    #expect(harness.lines() == ["13000 lost both 1 noLongerMatches"])
  }

  @Test("A complete payload that is the beginning of the known one replaces it")
  func completePrefix() {
    let harness = DataPathHarness(both)
    let payload = AdvertisingPayload.made(by: 0x0EEE).name("Lumo")
    harness.hear(set(1, payload), at: 0)
    for step: Int64 in 0...10 { harness.hear(set(1, .made(by: 0x0EEE)), at: 10 + 1000 * step) }
    #expect(harness.lines() == ["0 found both 1 matched", "10010 lost both 1 noLongerMatches"])
  }

  @Test("A directed report without data says nothing about the payload")
  func directed() {
    let harness = DataPathHarness(.company(0x0EEE))
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    let directed = AirReport(directedTo: .device(9), from: .device(1), rssi: -50)
    harness.receive(ReportEncoder.event(.directed, directed), at: 9000)
    #expect(harness.lines() == ["0 found bulb 1 matched"])
    #expect(harness.lines(until: 18_999) == [])  // It was heard at 9 s.
    #expect(harness.device(1)?.signal.readingCount == 1)  // After a silence of 9 s the filter restarted.
    harness.receive(ReportEncoder.event(.directed, directed), at: 18_999)
    #expect(harness.found(1) == ["bulb"])
  }

  @Test("An empty report that is not directed does replace the payload")
  func empty() {
    let harness = DataPathHarness(.company(0x0EEE))
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    for step: Int64 in 0...10 { harness.hear(1, -60, AdvertisingPayload(), at: 10 + 1000 * step) }
    #expect(harness.lines() == ["0 found bulb 1 matched", "10010 lost bulb 1 noLongerMatches"])
  }

  @Test("Anonymous reports are counted and have no row")
  func anonymous() {
    let harness = DataPathHarness(.company(0x0EEE))
    harness.hear(
      AirReport(
        extendedFrom: .anonymous, set: 1, properties: ReportHeader.Properties(rawValue: 0), rssi: -40,
        .made(by: 0x0EEE)),
      at: 0)
    #expect(harness.lines() == [])
    #expect(harness.deviceCount == 0)
    #expect(harness.counters.reportsAnonymous == 1)
    #expect(harness.counters.reports == 1)
  }

  @Test("An unchanged payload is recognised without parsing, and its losses are counted with each report")
  func unchanged() {
    let harness = DataPathHarness(.company(0x0EEE))
    // Five bytes are promised, two are there.
    let cut = AdvertisingPayload.made(by: 0x0EEE).raw([0x05, 0x09, 0x4C])
    for step: Int64 in 0..<5 { harness.hear(1, -60, cut, at: 100 * step) }
    #expect(harness.counters.reportsUnchanged == 4)
    #expect(harness.counters.reportsMalformed == 5)
    #expect(harness.counters.reportsLengthPastEnd == 5)
    #expect(harness.lines() == ["0 found bulb 1 matched"])
  }

  @Test("Several reports of one event are taken one after the other")
  func batch() {
    let harness = DataPathHarness(both)
    let reports = [
      AirReport(.connectable, from: .device(1), rssi: -60, .made(by: 0x0EEE)),
      AirReport(.connectable, from: .device(2), rssi: -60, .made(by: 0x0EEE).name("Lumo")),
      AirReport(.scanResponse, from: .device(1), rssi: -60, name),
    ]
    #expect(harness.receive(ReportEncoder.event(.legacy, reports), at: 5) == .reports)
    #expect(harness.lines() == ["5 found both 2 matched", "5 found both 1 matched"])
  }
}
