// SPDX-License-Identifier: Apache-2.0

extension ATTPacket {
  /// The bytes of the packet. The caller keeps to what the cases demand and to the MTU.
  public var bytes: [UInt8] {
    var bytes = [opcode.rawValue]
    switch self {
    case .errorResponse(let request, let handle, let code):
      bytes += [request] + handle.littleEndianBytes + [code.rawValue]
    case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): bytes += mtu.littleEndianBytes
    case .findInformationRequest(let range): bytes += range.bytes
    case .findInformationResponse(let types):
      bytes.append(types.first?.uuid.short == nil ? 2 : 1)
      bytes += types.flatMap { $0.handle.littleEndianBytes + $0.uuid.littleEndianBytes }
    case .findByTypeValueRequest(let range, let type, let value):
      bytes += range.bytes + type.littleEndianBytes + value
    case .findByTypeValueResponse(let ranges): bytes += ranges.flatMap(\.bytes)
    case .readByTypeRequest(let range, let type), .readByGroupTypeRequest(let range, let type):
      bytes += range.bytes + type.littleEndianBytes
    case .readByTypeResponse(let values):
      bytes.append(UInt8(clamping: 2 + (values.first?.value.count ?? 0)))
      bytes += values.flatMap { $0.handle.littleEndianBytes + $0.value }
    case .readByGroupTypeResponse(let groups):
      bytes.append(UInt8(clamping: 4 + (groups.first?.value.count ?? 0)))
      bytes += groups.flatMap { $0.range.bytes + $0.value }
    case .readRequest(let handle): bytes += handle.littleEndianBytes
    case .readResponse(let value), .readBlobResponse(let value): bytes += value
    case .readBlobRequest(let handle, let offset):
      bytes += handle.littleEndianBytes + offset.littleEndianBytes
    case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
      .notification(let handle, let value), .indication(let handle, let value):
      bytes += handle.littleEndianBytes + value
    case .prepareWriteRequest(let handle, let offset, let part),
      .prepareWriteResponse(let handle, let offset, let part):
      bytes += handle.littleEndianBytes + offset.littleEndianBytes + part
    case .executeWriteRequest(let isWriting): bytes.append(isWriting ? 1 : 0)
    case .writeResponse, .executeWriteResponse, .confirmation: break
    }
    return bytes
  }
}

extension UInt16 {
  fileprivate var littleEndianBytes: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(self >> 8)] }
}

extension HandleRange {
  fileprivate var bytes: [UInt8] { start.littleEndianBytes + end.littleEndianBytes }
}
