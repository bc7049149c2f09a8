// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LaboratoryRadio
import Testing
import VirtualRadio

@Suite("The lab's station") struct StationTests {
  private static func time(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  /// The packets that are due.
  private func packets(_ station: inout Station, at milliseconds: Int64) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    while let packet = station.next(before: Self.time(milliseconds)) { packets.append(packet) }
    return packets
  }

  private func scanning() -> Station {
    var station = Station(VirtualController(scene: [], seed: 1))
    station.receive(PacketEncoder.command(0x200C, [1, 0]), at: Self.time(0))
    #expect(packets(&station, at: 10).count == 1)
    return station
  }

  @Test("a load falls due evenly, and every event of it is counted")
  func evenLoad() {
    var station = scanning()
    station.load = ReportLoad(.legacy, rate: 1000, count: 50, addressCount: 3, from: Self.time(10))
    #expect(packets(&station, at: 29).count == 20)
    #expect(packets(&station, at: 1000).count == 30)
    #expect(station.counters.events == 50)
    #expect(station.counters.reports == 50)
    #expect(station.load?.isOver == true)
  }

  @Test("events that fall due while the controller does not scan are withheld, not delayed")
  func withheldLoad() {
    var station = Station(VirtualController(scene: [], seed: 1))
    station.load = ReportLoad(.legacy, rate: 100, count: 10, addressCount: 1, from: Self.time(0))
    #expect(packets(&station, at: 1000).isEmpty)
    #expect(station.counters.withheld == 10)
    #expect(station.counters.events == 0)
  }

  @Test("a mixed load has whole chains of extended reports")
  func mixedLoad() throws {
    var station = scanning()
    station.load = ReportLoad(.mixed, rate: nil, count: 6, addressCount: 4, from: Self.time(10))
    let events = packets(&station, at: 20)
    #expect(events.count == 6)
    // Event type: legacy, legacy, extended, and three fragments, of which the last is complete.
    #expect(events.map { $0[5] & 0x70 } == [0x10, 0x10, 0x00, 0x20, 0x20, 0x00])
  }

  @Test("a silent controller is as silent as its load, and a reset cures it")
  func silentStation() {
    var station = scanning()
    station.fault = StationFault(.silent, cure: .resets(1))
    station.load = ReportLoad(.legacy, rate: 1000, count: 10, addressCount: 1, from: Self.time(10))
    #expect(packets(&station, at: 100).isEmpty)
    station.receive(PacketEncoder.command(0x0C03), at: Self.time(100))
    #expect(packets(&station, at: 200) == [PacketEncoder.commandComplete(0x0C03)])
    #expect(station.fault == nil)
  }

  @Test("a replay has the capture's report events at their times")
  func replay() throws {
    var capture = CaptureWriter(start: Self.time(5000))
    let event = PacketEncoder.leMetaEvent(0x02, [1, 3, 1, 1, 2, 3, 4, 5, 6, 0, 0xC0])
    capture.append(PacketEncoder.command(0x0C03), isReceived: false, at: Self.time(0))
    capture.append(event, isReceived: true, at: Self.time(40))
    capture.append(PacketEncoder.commandComplete(0x0C03), isReceived: true, at: Self.time(50))
    capture.append(event, isReceived: true, at: Self.time(90))
    var station = scanning()
    station.replay = try CaptureReports(capture.bytes, from: Self.time(10))
    #expect(packets(&station, at: 49).isEmpty)
    #expect(packets(&station, at: 50) == [event])
    #expect(packets(&station, at: 200) == [event])
    #expect(station.replay?.nextTime == nil)
  }
}
