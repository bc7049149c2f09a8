// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import ToolText

/// A capture that arrives in pieces reads like one that lies in memory.
@Suite struct CaptureStreamTests {
  private struct Reading: Equatable {
    var offsets: [Int] = []
    var payloads: [[UInt8]] = []
    var error: BtsnoopError?
  }

  private static func read(_ capture: [UInt8], pieces: Int) -> Reading {
    var stream = CaptureStream()
    var rest = capture[...]
    var reading = Reading()
    while !stream.hasEnded, stream.error == nil {
      stream.readPiece { buffer, range in
        let count = min(pieces, range.count, rest.count)
        for (place, byte) in zip(range, rest.prefix(count)) { buffer[place] = byte }
        rest = rest.dropFirst(count)
        return count
      }
      stream.forEachRecord { record in
        reading.offsets.append(record.offset)
        reading.payloads.append(record.payload.bytes)
        return true
      }
    }
    reading.error = stream.error
    return reading
  }

  private static func readWhole(_ capture: [UInt8]) -> Reading {
    let whole = CaptureReading(capture)
    return Reading(
      offsets: whole.records.map(\.offset), payloads: whole.records.map(\.payload), error: whole.error)
  }

  @Test("The size of the pieces does not matter", arguments: [1, 2, 7, 23, 24, 25, 64, 4096, 1 << 20])
  func pieces(size: Int) {
    for datalink in [BtsnoopDatalink.hci, .h4, .monitor] {
      let capture = Captures.everyKind(datalink).bytes
      #expect(Self.read(capture, pieces: size) == Self.readWhole(capture))
      for end in 0..<capture.count {
        let torn = Array(capture[..<end])
        #expect(Self.read(torn, pieces: size) == Self.readWhole(torn), "\(end)")
      }
    }
  }

  @Test("The longest records and a capture larger than the buffer are read")
  func longRecords() {
    let packet = [UInt8](repeating: 4, count: Int(Btsnoop.recordBytesMax))
    let capture = Captures.file(.h4, (0..<5).map { _ in Captures.record(flags: 1, packet: packet) })
    for size in [999, 1 << 16, 1 << 20] {
      let reading = Self.read(capture, pieces: size)
      #expect(reading == Self.readWhole(capture))
      #expect(reading.payloads.count == 5)
    }
  }

  @Test("Wrong bytes end the reading as soon as they are there")
  func wrongMagic() {
    var stream = CaptureStream()
    stream.readPiece { buffer, range in
      buffer[range.lowerBound] = UInt8(ascii: "#")
      return 1
    }
    stream.forEachRecord { _ in
      Issue.record("there is no record")
      return true
    }
    #expect(stream.error == .notBtsnoop)
    #expect(Self.read(Array("btsnoof".utf8), pieces: 1).error == .notBtsnoop)
    #expect(Self.read(Array("btsnoo".utf8), pieces: 1).error == .headerTruncated(byteCount: 6))
    #expect(Self.read([], pieces: 1).error == .headerTruncated(byteCount: 0))
  }
}
