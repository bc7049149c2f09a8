// SPDX-License-Identifier: Apache-2.0

/// What this side replies to requests. ATT has a server on both sides; the one here has no attributes, which is what a
/// peer finds out when it looks (Core Specification 5.4, Volume 3, Part F, 3.4).
enum ATTReply {
  static func reply(to request: ATTPacket) -> ATTPacket {
    let opcode = request.opcode.rawValue
    switch request {
    case .exchangeMTURequest: return .exchangeMTUResponse(UInt16(GATTClient.mtuMax))
    case .findInformationRequest(let range), .findByTypeValueRequest(let range, _, _),
      .readByTypeRequest(let range, _), .readByGroupTypeRequest(let range, _):
      return .errorResponse(request: opcode, handle: range.start, code: .attributeNotFound)
    case .readRequest(let handle), .readBlobRequest(let handle, _), .writeRequest(let handle, _),
      .prepareWriteRequest(let handle, _, _):
      return .errorResponse(request: opcode, handle: handle, code: .invalidHandle)
    // No write was prepared.
    case .executeWriteRequest: return .executeWriteResponse
    case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
      .readByTypeResponse, .readResponse, .readBlobResponse, .readByGroupTypeResponse, .writeResponse,
      .prepareWriteResponse, .executeWriteResponse, .notification, .indication, .confirmation, .writeCommand:
      return refusal(ofUnknown: opcode)
    }
  }

  /// Whether a packet with an unknown opcode must be replied to: requests have even numbers below the command bit,
  /// apart from confirmations, which are known (table 3.40).
  static func isRequest(_ opcode: UInt8) -> Bool {
    opcode & ATTOpcode.commandBit == 0 && opcode.isMultiple(of: 2)
  }

  static func refusal(ofUnknown opcode: UInt8) -> ATTPacket {
    .errorResponse(request: opcode, handle: 0, code: .requestNotSupported)
  }
}
