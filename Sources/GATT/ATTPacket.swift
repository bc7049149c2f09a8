// SPDX-License-Identifier: Apache-2.0

/// A packet of the Attribute Protocol (Core Specification 5.4, Volume 3, Part F, 3.4).
public enum ATTPacket: Equatable, Sendable {
  case errorResponse(request: UInt8, handle: UInt16, code: ATTErrorCode)
  case exchangeMTURequest(UInt16)
  case exchangeMTUResponse(UInt16)
  case findInformationRequest(HandleRange)
  /// At least one; the UUIDs of one packet are all short, or all long.
  case findInformationResponse([AttributeType])
  case findByTypeValueRequest(HandleRange, type: UInt16, value: [UInt8])
  case findByTypeValueResponse([HandleRange])
  case readByTypeRequest(HandleRange, type: AttributeUUID)
  /// At least one; the values of one packet have one length, at most 253 bytes.
  case readByTypeResponse([AttributeValue])
  case readRequest(UInt16)
  case readResponse([UInt8])
  case readBlobRequest(UInt16, offset: UInt16)
  case readBlobResponse([UInt8])
  case readByGroupTypeRequest(HandleRange, type: AttributeUUID)
  /// At least one; the values of one packet have one length, at most 251 bytes.
  case readByGroupTypeResponse([AttributeGroup])
  case writeRequest(UInt16, [UInt8])
  case writeResponse
  case prepareWriteRequest(UInt16, offset: UInt16, [UInt8])
  case prepareWriteResponse(UInt16, offset: UInt16, [UInt8])
  case executeWriteRequest(isWriting: Bool)
  case executeWriteResponse
  case notification(UInt16, [UInt8])
  case indication(UInt16, [UInt8])
  case confirmation
  case writeCommand(UInt16, [UInt8])

  /// The first byte.
  public var opcode: ATTOpcode {
    switch self {
    case .errorResponse: .errorResponse
    case .exchangeMTURequest: .exchangeMTURequest
    case .exchangeMTUResponse: .exchangeMTUResponse
    case .findInformationRequest: .findInformationRequest
    case .findInformationResponse: .findInformationResponse
    case .findByTypeValueRequest: .findByTypeValueRequest
    case .findByTypeValueResponse: .findByTypeValueResponse
    case .readByTypeRequest: .readByTypeRequest
    case .readByTypeResponse: .readByTypeResponse
    case .readRequest: .readRequest
    case .readResponse: .readResponse
    case .readBlobRequest: .readBlobRequest
    case .readBlobResponse: .readBlobResponse
    case .readByGroupTypeRequest: .readByGroupTypeRequest
    case .readByGroupTypeResponse: .readByGroupTypeResponse
    case .writeRequest: .writeRequest
    case .writeResponse: .writeResponse
    case .prepareWriteRequest: .prepareWriteRequest
    case .prepareWriteResponse: .prepareWriteResponse
    case .executeWriteRequest: .executeWriteRequest
    case .executeWriteResponse: .executeWriteResponse
    case .notification: .notification
    case .indication: .indication
    case .confirmation: .confirmation
    case .writeCommand: .writeCommand
    }
  }
}

/// An attribute and its type, from a Find Information Response.
public struct AttributeType: Equatable, Sendable {
  public let handle: UInt16
  public let uuid: AttributeUUID

  public init(handle: UInt16, uuid: AttributeUUID) {
    self.handle = handle
    self.uuid = uuid
  }
}

/// An attribute and its value, from a Read By Type Response.
public struct AttributeValue: Equatable, Sendable {
  public let handle: UInt16
  public let value: [UInt8]

  public init(handle: UInt16, value: [UInt8]) {
    self.handle = handle
    self.value = value
  }
}

/// A group of attributes and its value, from a Read By Group Type Response.
public struct AttributeGroup: Equatable, Sendable {
  public let range: HandleRange
  public let value: [UInt8]

  public init(range: HandleRange, value: [UInt8]) {
    self.range = range
    self.value = value
  }
}
