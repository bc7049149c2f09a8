// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import GATT

/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// Why a peripheral refused a request (Core Specification 5.4, Volume 3, Part F, 3.4.1.1).
///
/// `errorCode`, which is `(error as NSError).code`, is the peripheral's own number. ``code`` is its case, and
/// `unlikelyError` for numbers without one, such as those of an application (0x80 to 0x9F).
public struct CBATTError: CustomNSError, Hashable, Sendable {
  /// The error codes of the Attribute Protocol.
  @nonexhaustive public enum Code: Int, Sendable, BitwiseCopyable {
    case success = 0x00
    case invalidHandle = 0x01
    case readNotPermitted = 0x02
    case writeNotPermitted = 0x03
    case invalidPdu = 0x04
    case insufficientAuthentication = 0x05
    case requestNotSupported = 0x06
    case invalidOffset = 0x07
    case insufficientAuthorization = 0x08
    case prepareQueueFull = 0x09
    case attributeNotFound = 0x0A
    case attributeNotLong = 0x0B
    case insufficientEncryptionKeySize = 0x0C
    case invalidAttributeValueLength = 0x0D
    case unlikelyError = 0x0E
    case insufficientEncryption = 0x0F
    case unsupportedGroupType = 0x10
    case insufficientResources = 0x11

    public static var errorDomain: String { CBATTErrorDomain }

    /// Whether an error has this code: `catch CBATTError.insufficientEncryption`.
    public static func ~= (match: Code, error: any Error) -> Bool { (error as? CBATTError)?.code == match }
  }

  public let errorCode: Int
  private let texts: [String: String]

  /// Values of `userInfo` that are no texts are left out.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    errorCode = code.rawValue
    texts = userInfo.compactMapValues { $0 as? String }
  }

  init(_ code: ATTErrorCode, handle: UInt16) {
    errorCode = Int(code.rawValue)
    let name = Code(rawValue: errorCode).map { ", \($0)" } ?? ""
    texts = [
      NSLocalizedDescriptionKey:
        "the peripheral refused a request for attribute \(handle): error \(errorCode)\(name)"
    ]
  }

  public var code: Code { Code(rawValue: errorCode) ?? .unlikelyError }
  public var userInfo: [String: Any] { texts }
  public var errorUserInfo: [String: Any] { texts }
  public static var errorDomain: String { CBATTErrorDomain }

  public static var success: Code { .success }
  public static var invalidHandle: Code { .invalidHandle }
  public static var readNotPermitted: Code { .readNotPermitted }
  public static var writeNotPermitted: Code { .writeNotPermitted }
  public static var invalidPdu: Code { .invalidPdu }
  public static var insufficientAuthentication: Code { .insufficientAuthentication }
  public static var requestNotSupported: Code { .requestNotSupported }
  public static var invalidOffset: Code { .invalidOffset }
  public static var insufficientAuthorization: Code { .insufficientAuthorization }
  public static var prepareQueueFull: Code { .prepareQueueFull }
  public static var attributeNotFound: Code { .attributeNotFound }
  public static var attributeNotLong: Code { .attributeNotLong }
  public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
  public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
  public static var unlikelyError: Code { .unlikelyError }
  public static var insufficientEncryption: Code { .insufficientEncryption }
  public static var unsupportedGroupType: Code { .unsupportedGroupType }
  public static var insufficientResources: Code { .insufficientResources }
}
