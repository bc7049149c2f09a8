// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import make_demo_capture

/// The demonstration's capture as the product's own parsers read it.
struct DemoReading {
  struct Heard {
    var time: Instant
    var header: ReportHeader
  }

  let capture = CaptureReading(DemoCapture.bytes())
  private(set) var formats: Set<ReportFormat> = []
  private(set) var heard: [Heard] = []
  private(set) var eventsOfSeveralReports = 0
  /// Kinds of the packets that are no report events.
  private(set) var others: [PacketKind?] = []

  init() {
    #expect(capture.error == nil)
    for record in capture.records { add(EventReading(record.packet ?? []), at: record.time) }
  }

  var headers: [ReportHeader] { heard.map(\.header) }

  /// The mean level at which a device was heard, by seconds since the first record.
  func level(of address: DeviceAddress, seconds: Range<Int64>) -> Int {
    let readings = heard.filter {
      $0.header.address == address
        && seconds.contains($0.time.milliseconds(since: capture.records[0].time) / 1000)
    }
    return readings.reduce(0) { $0 + Int($1.header.rssi) } / max(readings.count, 1)
  }

  private mutating func add(_ event: EventReading, at time: Instant) {
    guard let format = event.format else {
      others.append(event.kind)
      return
    }
    #expect(event.errors.isEmpty)
    formats.insert(format)
    heard += event.reports.map { Heard(time: time, header: $0.header) }
    if event.reports.count > 1 { eventsOfSeveralReports += 1 }
  }
}
