// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import Discovery
import HCI
import Interfaces
import LinuxSystem
import Manifest
import ToolText

/// A whole capture in memory.
struct CaptureFile {
  /// Enough for a day in a busy room.
  static let byteCountMax = 1 << 29

  let path: String
  private let bytes: [UInt8]

  init(reading path: String) throws(ToolError) {
    self.path = path
    do throws(FileError) {
      bytes = try FileContents(reading: path, byteCountMax: Self.byteCountMax).bytes
    } catch {
      throw .file(path: path, error)
    }
  }

  /// Hands every record to `body` while it returns true. A capture that is cut off is an error after its last
  /// whole record.
  func forEachRecord(_ body: (borrowing BtsnoopRecord) throws(ToolError) -> Bool) throws(ToolError) {
    var reader: BtsnoopReader
    do throws(BtsnoopError) { reader = try BtsnoopReader(bytes.span.rawBytes) } catch { throw failure(error) }
    while true {
      let record: BtsnoopRecord?
      do throws(BtsnoopError) { record = try reader.next() } catch { throw failure(error) }
      guard let record else { return }
      guard try body(record) else { return }
    }
  }

  /// Hands every record to `body` together with a decoder.
  func decode(
    _ body: (borrowing BtsnoopRecord, inout CaptureDecoder) throws(ToolError) -> Void
  ) throws(ToolError) {
    var decoder = ArenaOwner { CaptureDecoder(in: &$0) }
    try forEachRecord { record throws(ToolError) in
      try body(record, &decoder.value)
      return true
    }
  }

  /// Hands every report to `body`.
  func decode(_ body: (DecodedReport) -> Void) throws(ToolError) {
    try decode { record, decoder throws(ToolError) in
      decoder.decode(record) { entry in
        if case .report(let report) = entry { body(report) }
      }
    }
  }

  /// Feeds the capture to a replay up to `limit`, and hands each event to `body`.
  func replay(
    _ replay: inout CaptureReplay, until limit: Instant?, _ body: ([EventLine]) throws(ToolError) -> Void
  ) throws(ToolError) {
    try forEachRecord { record throws(ToolError) in
      if let limit, replay.time(of: record) > limit {
        try body(replay.advance(to: limit))
        return false
      }
      try body(replay.replay(record))
      return true
    }
  }

  private func failure(_ error: BtsnoopError) -> ToolError { .capture(path: path, error) }
}
