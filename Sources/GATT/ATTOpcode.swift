// SPDX-License-Identifier: Apache-2.0

/// The first byte of a packet (Core Specification 5.4, Volume 3, Part F, 3.4.8, table 3.40).
///
/// The packets that this client neither sends nor enables (Read Multiple, Signed Write, Multiple Handle Value
/// Notification) are left out, and are unknown when they are received.
public enum ATTOpcode: UInt8, Sendable, CaseIterable {
  case errorResponse = 0x01
  case exchangeMTURequest = 0x02
  case exchangeMTUResponse = 0x03
  case findInformationRequest = 0x04
  case findInformationResponse = 0x05
  case findByTypeValueRequest = 0x06
  case findByTypeValueResponse = 0x07
  case readByTypeRequest = 0x08
  case readByTypeResponse = 0x09
  case readRequest = 0x0A
  case readResponse = 0x0B
  case readBlobRequest = 0x0C
  case readBlobResponse = 0x0D
  case readByGroupTypeRequest = 0x10
  case readByGroupTypeResponse = 0x11
  case writeRequest = 0x12
  case writeResponse = 0x13
  case prepareWriteRequest = 0x16
  case prepareWriteResponse = 0x17
  case executeWriteRequest = 0x18
  case executeWriteResponse = 0x19
  case notification = 0x1B
  case indication = 0x1D
  case confirmation = 0x1E
  case writeCommand = 0x52

  /// The bit that says that a packet has no response (3.3.1).
  static let commandBit: UInt8 = 0x40

  /// The response that ends a request with this opcode; nil for a packet that is no request.
  var response: ATTOpcode? {
    switch self {
    case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
      .readRequest, .readBlobRequest, .readByGroupTypeRequest, .writeRequest, .prepareWriteRequest,
      .executeWriteRequest:
      ATTOpcode(rawValue: rawValue + 1)
    case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
      .readByTypeResponse, .readResponse, .readBlobResponse, .readByGroupTypeResponse, .writeResponse,
      .prepareWriteResponse, .executeWriteResponse, .notification, .indication, .confirmation, .writeCommand:
      nil
    }
  }
}
