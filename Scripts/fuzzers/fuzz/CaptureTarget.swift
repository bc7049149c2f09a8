// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
import HCI
import TestSupport

/// Reads a btsnoop file; what was read is written and read again.
func fuzzCapture(_ bytes: RawSpan) {
  let reading = CaptureReading(borrowing: bytes)
  precondition(reading.steps <= bytes.byteCount / Btsnoop.recordHeaderByteCount + 1, "unbounded work")
  guard let datalink = reading.datalink else { return }
  let records = reading.records.map { record in
    let bytes = indicator(of: record) + record.payload
    return Btsnoop.recordHeader(
      byteCount: bytes.count, flags: record.flags, cumulativeDrops: record.cumulativeDrops, time: record.time
    ).bytes + bytes
  }
  let again = CaptureReading(Captures.file(datalink, records))
  precondition(again.error == nil && again.records.map(\.content) == reading.records.map(\.content))
  precondition(again.records.map(\.payload) == reading.records.map(\.payload))
  precondition(again.records.map(\.time) == reading.records.map(\.time))

  func indicator(of record: ReadRecord) -> [UInt8] {
    switch record.content {
    case .packet(let kind, _, _): datalink == .h4 ? [kind.rawValue] : []
    case .unknown(let indicator): indicator.map { [$0] } ?? []
    case .monitor: []
    }
  }
}
