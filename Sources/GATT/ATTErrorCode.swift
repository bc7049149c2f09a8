// SPDX-License-Identifier: Apache-2.0

/// Why a server refused a request (Core Specification 5.4, Volume 3, Part F, 3.4.1.1, table 3.4).
///
/// 0x80 to 0x9F belong to the application, and 0xE0 to 0xFF to all profiles (Core Specification Supplement, Part B,
/// 1.2).
public struct ATTErrorCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
  public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
  public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
  /// Invalid PDU.
  public static let invalidPacket = ATTErrorCode(rawValue: 0x04)
  public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
  public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
  public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
  public static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
  public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
  /// Also what ends a discovery.
  public static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
  public static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
  public static let insufficientEncryptionKeySize = ATTErrorCode(rawValue: 0x0C)
  public static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0D)
  public static let unlikelyError = ATTErrorCode(rawValue: 0x0E)
  public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
  public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
  public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
}
