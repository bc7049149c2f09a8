// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

@Suite struct PacketEncoderTests {
  @Test func commandsAndTheirCompletionsAreLaidOutAsTheSpecificationSays() {
    #expect(PacketEncoder.command(0x200C, [1, 0]) == [0x01, 0x0C, 0x20, 2, 1, 0])
    #expect(PacketEncoder.commandComplete(0x200C) == [0x04, 0x0E, 4, 1, 0x0C, 0x20, 0])
  }

  @Test func everyKindOfPacketIsOneFrameOfAStream() throws {
    let packets = [
      PacketEncoder.command(0x0C03), PacketEncoder.event(0x05, [0, 0x40, 0, 0x13]),
      PacketEncoder.acl(connection: 0x40, [1, 2, 3]),
    ]
    for packet in packets {
      #expect(try StreamFrame(measuring: packet.raw) == .packet(byteCount: packet.count))
    }
  }

  @Test func aCaptureReadsBackPacketByPacket() throws {
    var capture = CaptureWriter(start: Instant(microseconds: 1_700_000_000_000_000))
    let command = PacketEncoder.command(0x0C03)
    capture.append(command, isReceived: false, at: Instant(microseconds: 5))
    capture.append(PacketEncoder.commandComplete(0x0C03), isReceived: true, at: Instant(microseconds: 9))
    #expect(capture.recordCount == 2)
    var reader = try BtsnoopReader(capture.bytes.raw)
    #expect(reader.datalink == .h4)
    let first = try #require(try record(&reader))
    #expect(first.content == .packet(.command, isReceived: false, adapter: 0))
    #expect(first.payload == Array(command.dropFirst()))
    let second = try #require(try record(&reader))
    #expect(second.content == .packet(.event, isReceived: true, adapter: 0))
    #expect(second.time.microseconds == 1_700_000_000_000_009)
    #expect(try record(&reader) == nil)
  }

  private struct Record: Equatable {
    var time: Instant
    var content: BtsnoopRecord.Content
    var payload: [UInt8]
  }

  private func record(_ reader: inout BtsnoopReader) throws -> Record? {
    guard let record = try reader.next() else { return nil }
    return Record(time: record.time, content: record.content, payload: octets(record.payload))
  }
}
