// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport

/// Cuts a stream into packets: every step goes forward, and no packet is longer than what its header can say.
func fuzzStream(_ bytes: RawSpan) {
  var offset = 0
  do throws(PacketError) {
    while case .packet(let byteCount) = try StreamFrame(measuring: bytes.extracting(droppingFirst: offset)) {
      precondition(byteCount > 0 && offset + byteCount <= bytes.byteCount, "a packet outside its stream")
      let packet = try Packet(parsing: bytes.extracting(offset..<(offset + byteCount)))
      precondition(packet.body.byteCount == byteCount - 1)
      offset += byteCount
    }
    guard case .needs(let count) = try StreamFrame(measuring: bytes.extracting(droppingFirst: offset)) else {
      return
    }
    precondition(count > 0 && bytes.byteCount - offset + count <= 5 + 65_535, "a packet longer than any")
  } catch {
    guard case .unknownKind = error else { preconditionFailure("only an unknown indicator stops a stream") }
  }
}

/// Reads one event with everything in it.
func fuzzEvent(_ bytes: RawSpan) {
  do throws(EventError) {
    let event = try Event(parsing: bytes)
    precondition(event.parameters.byteCount <= 255)
    precondition(event.parameters.byteCount + max(0, event.trailingByteCount) == bytes.byteCount - 2)
    if let reports = AdvertisingReports(event) { walk(reports, in: event.parameters.byteCount) }
  } catch {
    precondition(bytes.byteCount < 2)
  }
}

/// Reads one event's reports and their structures, and joins fragments.
func fuzzReports(_ bytes: RawSpan) {
  let parameters = bytes.extracting(first: min(255, bytes.byteCount)).bytes
  let body = [Event.leMeta, UInt8(parameters.count)] + parameters
  fuzzEvent(body.rawSpan)
  let packet = [PacketKind.event.rawValue] + body
  let reading = EventReading(packet)
  precondition(reading == EventReading(packet), "one event, two readings")
  assemble(reading.reports)
}

private func walk(_ borrowed: consuming AdvertisingReports, in byteCount: Int) {
  var reports = borrowed
  var steps = 0
  while true {
    steps += 1
    precondition(steps <= min(reports.count, byteCount / 10) + 2, "unbounded work")
    do throws(ReportError) {
      guard let report = try reports.next() else { break }
      fuzzPayload(report.data)
    } catch {
      if case .truncated = error { precondition(reports.remaining == 0, "reading continues after a cut") }
    }
  }
}

private func assemble(_ reports: [ReadReport]) {
  let byteCount = assemblerByteCount
  unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) { block in
    // Holds: the block is aligned and outlives assembler and tables, which stay in this closure.
    var arena = unsafe Arena(block: block)
    var assembler = ReportAssembler(capacity: 2, in: &arena)
    for (index, report) in reports.enumerated() {
      let borrowed = AdvertisingReport(header: report.header, data: report.data.rawSpan)
      let time = Instant(microseconds: Int64(index) * Int64(report.header.rssi) * 100_000)
      guard case .assembled(let slot, let count) = assembler.add(borrowed, at: time) else { continue }
      fuzzPayload(assembler.payload(slot: slot, byteCount: count))
      precondition(assembler.fragmentCount(slot: slot) > 0)
    }
  }
}

private let assemblerByteCount: Int = {
  var measure = Arena()
  _ = ReportAssembler(capacity: 2, in: &measure)
  return measure.byteCount
}()
