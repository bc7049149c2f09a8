// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
import HCI
import TestSupport
import Testing

@Suite("btsnoop captures")
struct BtsnoopTests {
  static let datalinks = [BtsnoopDatalink.hci, .h4, .monitor]

  @Test("The header names the format, version 1 and the datalink", arguments: datalinks)
  func header(datalink: BtsnoopDatalink) {
    let code: [BtsnoopDatalink: String] = [.hci: "03 E9", .h4: "03 EA", .monitor: "07 D1"]
    let expected = hex("62 74 73 6E 6F 6F 70 00  00 00 00 01  00 00 \(code[datalink] ?? "")")
    #expect(Captures.file(datalink, []) == expected)
    #expect(CaptureReading(expected).datalink == datalink)
    #expect(CaptureReading(expected).error == nil)
  }

  @Test("A record is laid out as the format says")
  func layout() {
    let file = hex(
      """
      62 74 73 6E 6F 6F 70 00  // btsnoop
      00 00 00 01              // version 1
      00 00 03 EA              // H4
      00 00 00 09              // nine bytes on the wire
      00 00 00 05              // five of them in the file
      00 00 00 03              // received, command or event
      00 00 00 02              // two packets dropped before
      00 E0 3A B4 4A 67 60 00  // 2000-01-01
      04 0E 04 01 0C           // a cut Command Complete
      """)
    let reading = CaptureReading(file)
    #expect(reading.error == nil)
    #expect(
      reading.records == [
        ReadRecord(
          offset: 16, time: Instant(microseconds: 946_684_800_000_000), originalByteCount: 8, flags: 3,
          cumulativeDrops: 2, content: .packet(.event, isReceived: true, adapter: 0),
          payload: hex("0E 04 01 0C"))
      ])
  }

  @Test("What is written is read again", arguments: datalinks)
  func roundTrip(datalink: BtsnoopDatalink) {
    let reading = CaptureReading(Captures.everyKind(datalink).bytes)
    #expect(reading.datalink == datalink && reading.error == nil)
    let kinds = Captures.kinds(datalink)
    #expect(reading.records.count == kinds.count)
    for (index, (record, written)) in zip(reading.records, kinds).enumerated() {
      let adapter: UInt16 = datalink == .monitor ? 3 : 0
      #expect(record.content == .packet(written.kind, isReceived: written.isReceived, adapter: adapter))
      #expect(record.packet == written.packet)
      #expect(record.originalByteCount == written.packet.count - 1)
      #expect(record.time == Captures.time(index))
    }
  }

  @Test("Times before 1970 and far ahead are carried", arguments: [Int64.min, -1, 0, 1, .max])
  func times(microseconds: Int64) {
    let time = Instant(microseconds: microseconds)
    let header = Btsnoop.recordHeader(byteCount: 0, flags: 0, time: time)
    let file = Captures.file(.h4, []) + header.bytes
    #expect(CaptureReading(file).records.first?.time == time)
  }

  @Test("The opcode distinguishes notes of the Linux monitor from packets")
  func monitorOpcodes() {
    let packets: Set<UInt16> = [2, 3, 4, 5, 6, 7, 18, 19]
    for opcode: UInt16 in 0...32 {
      let header = Btsnoop.recordHeader(
        byteCount: 0, flags: 0x0005_0000 | UInt32(opcode), time: Instant(microseconds: 0))
      let content = CaptureReading(Captures.file(.monitor, []) + header.bytes).records.first?.content
      switch content {
      case .packet(_, _, let adapter): #expect(packets.contains(opcode) && adapter == 5)
      default: #expect(content == .monitor(opcode: opcode, adapter: 5) && !packets.contains(opcode))
      }
    }
  }

  @Test("An H4 record without a known indicator is no packet")
  func unknownContent() {
    let empty = Captures.record(flags: 0, packet: [])
    let strange = Captures.record(flags: 0, packet: [0xFF, 1, 2])
    let records = CaptureReading(Captures.file(.h4, [empty, strange])).records
    #expect(records.map(\.content) == [.unknown(indicator: nil), .unknown(indicator: 0xFF)])
    #expect(records.map(\.payload) == [[], [1, 2]])
  }

  @Test("The wire never had fewer bytes than the file, whatever a record claims")
  func originalByteCount() {
    var file = Captures.file(.h4, [Captures.record(flags: 3, packet: [4, 0x0E, 0])])
    for index in 16..<20 { file[index] = 0 }
    #expect(CaptureReading(file).records.first?.originalByteCount == 2)
  }

  @Test("Anything but a btsnoop header of version 1 and a known datalink is refused by name")
  func refusals() {
    let good = Captures.file(.h4, [])
    withEveryPrefix(of: good) { file, damage in
      #expect(CaptureReading(file).error == .headerTruncated(byteCount: file.count), "\(damage)")
    }
    withEveryBitFlip(of: good) { file, damage in
      let error = CaptureReading(file).error
      switch damage.offset {
      case 0..<8: #expect(error == .notBtsnoop, "\(damage)")
      case 8..<12: #expect(error != nil && error == .unsupportedVersion(word(at: 8, of: file)), "\(damage)")
      // 1002 and 1001 are not one bit apart, nor is either from 2001.
      default: #expect(error == .unsupportedDatalink(word(at: 12, of: file)), "\(damage)")
      }
    }
  }

  @Test("A torn file gives every record before the tear and says where it is", arguments: datalinks)
  func torn(datalink: BtsnoopDatalink) {
    let file = Captures.everyKind(datalink).bytes
    let whole = CaptureReading(file)
    let starts = whole.records.map(\.offset)
    withEveryPrefix(of: file) { torn, damage in
      guard torn.count >= 16 else { return }
      let reading = CaptureReading(torn)
      let intact = (starts.dropFirst() + [file.count]).count { $0 <= torn.count }
      #expect(reading.records == Array(whole.records.prefix(intact)), "\(damage)")
      let isBorder = torn.count == 16 || starts.contains(torn.count)
      #expect(reading.error == (isBorder ? nil : .recordTruncated(offset: starts[intact])), "\(damage)")
    }
  }

  @Test("Records before a flipped bit read as before, in bounded work", arguments: datalinks)
  func bitFlips(datalink: BtsnoopDatalink) {
    let file = Captures.everyKind(datalink).bytes
    let whole = CaptureReading(file)
    withEveryBitFlip(of: file) { damaged, damage in
      guard damage.offset >= 16 else { return }
      let reading = CaptureReading(damaged)
      let intact = (whole.records.map(\.offset).dropFirst() + [file.count]).count { $0 <= damage.offset }
      #expect(reading.records.prefix(intact) == whole.records.prefix(intact), "\(damage)")
      #expect(reading.steps <= damaged.count / 24 + 1, "\(damage)")
    }
  }

  @Test("A length that no packet has ends the file there")
  func insaneLengths() {
    for length: UInt32 in [65_541, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] {
      var file = Captures.everyKind(.h4).bytes
      let second = CaptureReading(file).records[1].offset
      for index in 0..<4 {
        file[second + 4 + index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index))
      }
      let reading = CaptureReading(file)
      #expect(reading.records.count == 1)
      #expect(reading.error == .recordOversized(offset: second, byteCount: length))
    }
  }

  @Test("The longest packet there is fits")
  func longest() {
    let packet = hex("02 40 20 FF FF") + [UInt8](repeating: 0xAB, count: 65_535)
    let flags = Btsnoop.flags(.h4, kind: .acl, isReceived: true)
    let reading = CaptureReading(Captures.file(.h4, [Captures.record(flags: flags, packet: packet)]))
    #expect(reading.error == nil)
    #expect(reading.records.first?.packet == packet)
  }

  @Test("After an error there is no further record")
  func fused() throws {
    let file = Captures.everyKind(.h4).bytes.dropLast(1).map { $0 }
    var reader = try BtsnoopReader(file.rawSpan)
    var errors = 0
    for _ in 0..<100 {
      do throws(BtsnoopError) {
        _ = try reader.next()
      } catch {
        errors += 1
      }
    }
    #expect(errors == 1)
  }

  func word(at offset: Int, of bytes: [UInt8]) -> UInt32 {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
