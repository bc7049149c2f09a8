// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
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
      #expect(try StreamFrame(measuring: packet.rawSpan) == .packet(byteCount: packet.count))
    }
  }

  @Test func aCaptureReadsBackPacketByPacket() {
    var capture = CaptureWriter(start: Instant(microseconds: 1_700_000_000_000_000))
    let command = PacketEncoder.command(0x0C03)
    capture.append(command, isReceived: false, at: Instant(microseconds: 5))
    capture.append(PacketEncoder.commandComplete(0x0C03), isReceived: true, at: Instant(microseconds: 9))
    #expect(capture.recordCount == 2)
    let reading = CaptureReading(capture.bytes)
    #expect(reading.datalink == .h4 && reading.error == nil && reading.records.count == 2)
    #expect(reading.records[0].content == .packet(.command, isReceived: false, adapter: 0))
    #expect(reading.records[0].packet == command)
    #expect(reading.records[1].content == .packet(.event, isReceived: true, adapter: 0))
    #expect(reading.records[1].time.microseconds == 1_700_000_000_000_009)
  }
}
