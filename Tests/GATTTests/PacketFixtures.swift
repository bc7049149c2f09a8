// SPDX-License-Identifier: GPL-3.0-or-later

import GATT
import TestSupport
import Testing

/// Packets as Core Specification 5.4, Volume 3, Part F, 3.4 lays them out, and what they say.
struct PacketFixture: CustomTestStringConvertible, Sendable {
  let bytes: [UInt8]
  let packet: ATTPacket

  init(_ text: String, _ packet: ATTPacket) {
    bytes = hex(text)
    self.packet = packet
  }

  var testDescription: String { hexText(bytes) }

  static let dice = AttributeUUID(high: 0x1234_5678_1234_1234, low: 0x1234_1234_5678_9ABC)

  static var all: [PacketFixture] { control + discovery + values }

  private static var control: [PacketFixture] {
    [
      PacketFixture(
        """
        01     // Error Response
        0A     // to Read Request
        03 01  // handle 0x0103
        0F     // Insufficient Encryption
        """, .errorResponse(request: 0x0A, handle: 0x0103, code: .insufficientEncryption)),
      PacketFixture("02 05 02  // Exchange MTU Request: 517", .exchangeMTURequest(517)),
      PacketFixture("03 F7 00  // Exchange MTU Response: 247", .exchangeMTUResponse(247)),
      PacketFixture("1E  // Confirmation", .confirmation),
    ]
  }

  private static var discovery: [PacketFixture] {
    let all = HandleRange.all
    let service = HandleRange(0x0010, 0x0018) ?? all
    return [
      PacketFixture("04 10 00 18 00  // Find Information Request", .findInformationRequest(service)),
      PacketFixture(
        """
        05 01        // Find Information Response, short UUIDs
        11 00 02 29  // Client Characteristic Configuration
        12 00 01 29  // Characteristic User Description
        """,
        .findInformationResponse([
          AttributeType(handle: 0x0011, uuid: .clientConfiguration),
          AttributeType(handle: 0x0012, uuid: AttributeUUID(0x2901)),
        ])),
      PacketFixture(
        """
        05 02 11 00                                      // Find Information Response, long UUIDs
        BC 9A 78 56 34 12 34 12 34 12 34 12 78 56 34 12
        """, .findInformationResponse([AttributeType(handle: 0x0011, uuid: dice)])),
      PacketFixture(
        "06 01 00 FF FF 00 28 01 18  // Find By Type Value Request: the service 0x1801",
        .findByTypeValueRequest(all, type: 0x2800, value: [0x01, 0x18])),
      PacketFixture("07 10 00 18 00  // Find By Type Value Response", .findByTypeValueResponse([service])),
      PacketFixture(
        "08 10 00 18 00 03 28  // Read By Type Request: characteristics",
        .readByTypeRequest(service, type: .characteristic)),
      PacketFixture(
        """
        09 07                 // Read By Type Response, 7 bytes each
        11 00 12 12 00 19 2A  // read, notify; value 0x0012; 0x2A19
        """,
        .readByTypeResponse([AttributeValue(handle: 0x0011, value: [0x12, 0x12, 0x00, 0x19, 0x2A])])),
      PacketFixture(
        "10 01 00 FF FF 00 28  // Read By Group Type Request: primary services",
        .readByGroupTypeRequest(all, type: .primaryService)),
      PacketFixture(
        """
        11 06              // Read By Group Type Response, 6 bytes each
        01 00 09 00 01 18
        10 00 18 00 0F 18
        """,
        .readByGroupTypeResponse([
          AttributeGroup(range: HandleRange(1, 9) ?? all, value: [0x01, 0x18]),
          AttributeGroup(range: service, value: [0x0F, 0x18]),
        ])),
    ]
  }

  private static var values: [PacketFixture] {
    [
      PacketFixture("0A 12 00  // Read Request", .readRequest(0x0012)),
      PacketFixture("0B 61  // Read Response", .readResponse([0x61])),
      PacketFixture("0B  // Read Response without a value", .readResponse([])),
      PacketFixture("0C 12 00 16 00  // Read Blob Request from 22", .readBlobRequest(0x0012, offset: 22)),
      PacketFixture("0D 62 63  // Read Blob Response", .readBlobResponse([0x62, 0x63])),
      PacketFixture("12 12 00 01 02  // Write Request", .writeRequest(0x0012, [1, 2])),
      PacketFixture("13  // Write Response", .writeResponse),
      PacketFixture(
        "16 12 00 12 00 AA BB  // Prepare Write Request at 18",
        .prepareWriteRequest(0x0012, offset: 18, [0xAA, 0xBB])),
      PacketFixture(
        "17 12 00 12 00 AA BB  // Prepare Write Response",
        .prepareWriteResponse(0x0012, offset: 18, [0xAA, 0xBB])),
      PacketFixture("18 01  // Execute Write Request", .executeWriteRequest(isWriting: true)),
      PacketFixture("18 00  // Execute Write Request: discard", .executeWriteRequest(isWriting: false)),
      PacketFixture("19  // Execute Write Response", .executeWriteResponse),
      PacketFixture("1B 12 00 05  // Notification", .notification(0x0012, [5])),
      PacketFixture("1D 03 00 01 00 FF FF  // Indication", .indication(0x0003, [1, 0, 0xFF, 0xFF])),
      PacketFixture("52 12 00 07  // Write Command", .writeCommand(0x0012, [7])),
    ]
  }
}
