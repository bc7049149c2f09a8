// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import Discovery
import HCI
import Interfaces
import LinuxSystem
import Manifest
import ToolSystem
import ToolText

/// A capture, read once from its beginning: a file, a stream that still grows, or lines of hex.
struct CaptureFile: ~Copyable {
  let path: String
  private let input: InputFile
  /// What is there before the input is read.
  private let held: [UInt8]

  init(reading path: String) throws(ToolError) {
    try self.init(path, holding: [])
  }

  /// Lines of hex, after which there is no more.
  init(_ hex: HexCapture) throws(ToolError) {
    try self.init("/dev/null", holding: hex.bytes)
  }

  /// The bytes of a capture, after which there is no more.
  init(holding bytes: [UInt8]) throws(ToolError) {
    try self.init("/dev/null", holding: bytes)
  }

  private init(_ path: String, holding held: [UInt8]) throws(ToolError) {
    self.path = path
    self.held = held
    do throws(FileError) { input = try InputFile.open(path) } catch { throw .file(path: path, error) }
  }

  /// Hands every record to `body` while it returns true. A capture that is cut off is an error after its last
  /// whole record. Before a stream may keep the tool waiting, `idle` is called.
  @inline(__always)
  func forEachRecord(
    idle: () throws(ToolError) -> Void = {}, _ body: (borrowing BtsnoopRecord) throws(ToolError) -> Bool
  ) throws(ToolError) {
    var stream = held.isEmpty ? CaptureStream() : CaptureStream(holding: held)
    while !stream.hasEnded {
      if !input.isOrdinary { try idle() }
      try readPiece(of: &stream)
      var goesOn = true
      try stream.forEachRecord { record throws(ToolError) in
        goesOn = try body(record)
        return goesOn
      }
      guard goesOn else { return }
      if let format = stream.otherFormat {
        throw .sentence("\(quoted(path)): \(format.sentence(ofFile: shown(path)))", .dataError)
      }
      if let error = stream.error { throw .capture(path: path, error) }
    }
  }

  private func readPiece(of stream: inout CaptureStream) throws(ToolError) {
    do throws(FileError) {
      try stream.readPiece { buffer, range throws(FileError) in try input.read(into: &buffer, range) }
    } catch {
      throw .file(path: path, error)
    }
  }

  /// Hands every record to `body` together with a decoder.
  func decode(
    idle: () throws(ToolError) -> Void = {},
    _ body: (borrowing BtsnoopRecord, inout CaptureDecoder) throws(ToolError) -> Void
  ) throws(ToolError) {
    var decoder = ArenaOwner { CaptureDecoder(in: &$0) }
    try forEachRecord(idle: idle) { record throws(ToolError) in
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

  /// Feeds the capture to a replay up to `limit`, and hands the events of each record that has any to `body`; each record
  /// goes to `witness` too.
  func replay(
    _ replay: inout CaptureReplay, until limit: Instant?, idle: () throws(ToolError) -> Void = {},
    witness: (borrowing BtsnoopRecord) -> Void = { _ in }, _ body: ([EventLine]) throws(ToolError) -> Void
  ) throws(ToolError) {
    var events: [EventLine] = []
    try forEachRecord(idle: idle) { record throws(ToolError) in
      let isPastLimit = limit.map { replay.time(of: record) > $0 } ?? false
      if isPastLimit, let limit {
        replay.advance(to: limit, into: &events)
      } else {
        witness(record)
        replay.replay(record, into: &events)
      }
      if !events.isEmpty {
        try body(events)
        events.removeAll(keepingCapacity: true)
      }
      return !isPastLimit
    }
  }
}
