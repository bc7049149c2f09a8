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
    harness.hear(response: name, of: 1, -60, at: 3)
    #expect(
      harness.lines() == [
        "1 found both 1 matched", "2 lost both 1 noLongerMatches", "3 found both 1 matched",
      ])
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
    #expect(harness.lines() == ["30 lost bulb 1 noLongerMatches"])
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
    #expect(harness.lines() == ["30 lost bulb 1 noLongerMatches"])
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
    harness.hear(cut, at: 3000)
    #expect(harness.lines() == ["3000 lost both 1 noLongerMatches"])
  }

  @Test("A complete payload that is the beginning of the known one replaces it")
  func completePrefix() {
    let harness = DataPathHarness(both)
    let payload = AdvertisingPayload.made(by: 0x0EEE).name("Lumo")
    harness.hear(set(1, payload), at: 0)
    harness.hear(set(1, .made(by: 0x0EEE)), at: 10)
    #expect(harness.lines() == ["0 found both 1 matched", "10 lost both 1 noLongerMatches"])
  }

  @Test("A directed report without data says nothing about the payload")
  func directed() {
    let harness = DataPathHarness(.company(0x0EEE))
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    let directed = AirReport(directedTo: .device(9), from: .device(1), rssi: -50)
    harness.receive(ReportEncoder.event(.directed, directed), at: 9000)
    #expect(harness.lines() == ["0 found bulb 1 matched"])
    harness.wait(until: 18_999)
    #expect(harness.lines() == [])  // It was heard at 9 s.
    #expect(harness.device(1)?.signal.readingCount == 1)  // After a silence of 9 s the filter restarted.
    harness.receive(ReportEncoder.event(.directed, directed), at: 18_999)
    #expect(harness.found(1) == ["bulb"])
  }

  @Test("An empty report that is not directed does replace the payload")
  func empty() {
    let harness = DataPathHarness(.company(0x0EEE))
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    harness.hear(1, -60, AdvertisingPayload(), at: 10)
    #expect(harness.lines() == ["0 found bulb 1 matched", "10 lost bulb 1 noLongerMatches"])
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
