// SPDX-License-Identifier: Apache-2.0

/// Why bytes are no packet.
public enum ATTPacketError: Error, Hashable, Sendable {
  /// There are no bytes.
  case empty
  case unknownOpcode(UInt8)
  /// The packet ends inside a field, or has none of the elements that it must have.
  case truncated(ATTOpcode)
  /// Bytes follow the last field.
  case trailingBytes(ATTOpcode)
  /// A field has a value that it must not have: a range without handles, an element length, a flag.
  case invalidField(ATTOpcode)
}

extension ATTPacket {
  /// Reads a packet: all of `bytes`.
  public init(parsing bytes: [UInt8]) throws(ATTPacketError) {
    guard let first = bytes.first else { throw .empty }
    guard let opcode = ATTOpcode(rawValue: first) else { throw .unknownOpcode(first) }
    var reader = PacketReader(bytes.dropFirst())
    let packet = try Self.parse(opcode, &reader)
    guard !reader.isExhausted else { throw .truncated(opcode) }
    guard let packet else { throw .invalidField(opcode) }
    guard reader.remainingByteCount == 0 else { throw .trailingBytes(opcode) }
    self = packet
  }

  /// Reads the fields after the opcode; nil when one has an invalid value.
  private static func parse(
    _ opcode: ATTOpcode, _ reader: inout PacketReader
  ) throws(ATTPacketError) -> ATTPacket? {
    switch opcode {
    case .errorResponse:
      .errorResponse(
        request: reader.readByte(), handle: reader.readUInt16(),
        code: ATTErrorCode(rawValue: reader.readByte()))
    case .exchangeMTURequest: .exchangeMTURequest(reader.readUInt16())
    case .exchangeMTUResponse: .exchangeMTUResponse(reader.readUInt16())
    case .findInformationRequest: reader.readRange().map { .findInformationRequest($0) }
    case .findInformationResponse: try parseTypes(&reader).map { .findInformationResponse($0) }
    case .findByTypeValueRequest:
      reader.readRange().map {
        .findByTypeValueRequest($0, type: reader.readUInt16(), value: reader.readRest())
      }
    case .findByTypeValueResponse: try parseRanges(&reader).map { .findByTypeValueResponse($0) }
    case .readByTypeRequest:
      reader.readRange().flatMap { range in reader.readUUID().map { .readByTypeRequest(range, type: $0) } }
    case .readByTypeResponse: try parseValues(&reader).map { .readByTypeResponse($0) }
    case .readRequest: .readRequest(reader.readUInt16())
    case .readResponse: .readResponse(reader.readRest())
    case .readBlobRequest: .readBlobRequest(reader.readUInt16(), offset: reader.readUInt16())
    case .readBlobResponse: .readBlobResponse(reader.readRest())
    case .readByGroupTypeRequest:
      reader.readRange().flatMap { range in reader.readUUID().map { .readByGroupTypeRequest(range, type: $0) }
      }
    case .readByGroupTypeResponse: try parseGroups(&reader).map { .readByGroupTypeResponse($0) }
    case .writeRequest: .writeRequest(reader.readUInt16(), reader.readRest())
    case .writeResponse: .writeResponse
    case .prepareWriteRequest:
      .prepareWriteRequest(reader.readUInt16(), offset: reader.readUInt16(), reader.readRest())
    case .prepareWriteResponse:
      .prepareWriteResponse(reader.readUInt16(), offset: reader.readUInt16(), reader.readRest())
    case .executeWriteRequest: parseFlag(&reader).map { .executeWriteRequest(isWriting: $0) }
    case .executeWriteResponse: .executeWriteResponse
    case .notification: .notification(reader.readUInt16(), reader.readRest())
    case .indication: .indication(reader.readUInt16(), reader.readRest())
    case .confirmation: .confirmation
    case .writeCommand: .writeCommand(reader.readUInt16(), reader.readRest())
    }
  }

  private static func parseFlag(_ reader: inout PacketReader) -> Bool? {
    switch reader.readByte() {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// Format 1 has UUIDs of 2 bytes, format 2 of 16 (3.4.3.2).
  private static func parseTypes(_ reader: inout PacketReader) throws(ATTPacketError) -> [AttributeType]? {
    let byteCount: Int
    switch reader.readByte() {
    case 1: byteCount = 2
    case 2: byteCount = 16
    default: return nil
    }
    return try parseElements(&reader, byteCount: 2 + byteCount, of: .findInformationResponse) { element in
      let handle = element.readUInt16()
      guard handle > 0, let uuid = element.readUUID() else { return nil }
      return AttributeType(handle: handle, uuid: uuid)
    }
  }

  private static func parseRanges(_ reader: inout PacketReader) throws(ATTPacketError) -> [HandleRange]? {
    try parseElements(&reader, byteCount: 4, of: .findByTypeValueResponse) { $0.readRange() }
  }

  private static func parseValues(_ reader: inout PacketReader) throws(ATTPacketError) -> [AttributeValue]? {
    let byteCount = Int(reader.readByte())
    guard byteCount >= 2 || reader.isExhausted else { return nil }
    return try parseElements(&reader, byteCount: byteCount, of: .readByTypeResponse) { element in
      let handle = element.readUInt16()
      return handle > 0 ? AttributeValue(handle: handle, value: element.readRest()) : nil
    }
  }

  private static func parseGroups(_ reader: inout PacketReader) throws(ATTPacketError) -> [AttributeGroup]? {
    let byteCount = Int(reader.readByte())
    guard byteCount >= 4 || reader.isExhausted else { return nil }
    return try parseElements(&reader, byteCount: byteCount, of: .readByGroupTypeResponse) { element in
      element.readRange().map { AttributeGroup(range: $0, value: element.readRest()) }
    }
  }

  /// One or more elements of `byteCount` bytes each; nil when one of them is invalid.
  private static func parseElements<Element>(
    _ reader: inout PacketReader, byteCount: Int, of opcode: ATTOpcode,
    _ parseElement: (inout PacketReader) -> Element?
  ) throws(ATTPacketError) -> [Element]? {
    guard reader.remainingByteCount > 0, reader.remainingByteCount.isMultiple(of: byteCount) else {
      throw .truncated(opcode)
    }
    var elements: [Element] = []
    while reader.remainingByteCount > 0 {
      var element = PacketReader(reader.readBytes(byteCount)[...])
      guard let parsed = parseElement(&element) else { return nil }
      elements.append(parsed)
    }
    return elements
  }
}
