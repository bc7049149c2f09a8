// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import AccessorySetupKit
public import Foundation
import GATT

/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// Why a peripheral refused a request (Core Specification 5.4, Volume 3, Part F, 3.4.1.1).
///
/// `errorCode`, which is `(error as NSError).code`, is the peripheral's own number. ``code`` is its case, and
/// `unlikelyError` for numbers without one, such as those of an application (0x80 to 0x9F).
public struct CBATTError: CustomNSError, CustomStringConvertible, Hashable, Sendable {
  /// The error codes of the Attribute Protocol.
  @nonexhaustive public enum Code: Int, Sendable, BitwiseCopyable {
    /// No error. It is never reported.
    case success = 0x00
    /// The attribute does not exist.
    case invalidHandle = 0x01
    /// The attribute cannot be read.
    case readNotPermitted = 0x02
    /// The attribute cannot be written.
    case writeNotPermitted = 0x03
    /// The peripheral found a mistake in the request.
    case invalidPdu = 0x04
    /// The attribute needs an authenticated connection. When connecting: the gateway's manifest demands one, and the
    /// peripheral was paired without digits.
    case insufficientAuthentication = 0x05
    /// The peripheral does not support the request.
    case requestNotSupported = 0x06
    /// The offset is past the end of the value.
    case invalidOffset = 0x07
    /// The attribute needs an authorization.
    case insufficientAuthorization = 0x08
    /// The peripheral has no room for more parts of a long value.
    case prepareQueueFull = 0x09
    /// There is no such attribute in the range.
    case attributeNotFound = 0x0A
    /// The value is not read or written in parts.
    case attributeNotLong = 0x0B
    /// The key of the connection is too short.
    case insufficientEncryptionKeySize = 0x0C
    /// The value has the wrong length.
    case invalidAttributeValueLength = 0x0D
    /// The peripheral could not do what was asked.
    case unlikelyError = 0x0E
    /// The attribute needs an encrypted connection.
    case insufficientEncryption = 0x0F
    /// The type of the attribute does not group others.
    case unsupportedGroupType = 0x10
    /// The peripheral has no memory left for the request.
    case insufficientResources = 0x11

    /// ``CBATTErrorDomain``.
    public static var errorDomain: String { CBATTErrorDomain }

    /// Whether an error has this code: `catch CBATTError.insufficientEncryption`.
    public static func ~= (match: Code, error: any Error) -> Bool { (error as? CBATTError)?.code == match }
  }

  /// The code that the peripheral sent.
  public let errorCode: Int
  private let texts: ErrorTexts

  /// Values of `userInfo` that are no texts are left out.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    errorCode = code.rawValue
    texts = ErrorTexts(userInfo)
  }

  init(_ code: ATTErrorCode, handle: UInt16) {
    errorCode = Int(code.rawValue)
    let known = Code(rawValue: errorCode)
    texts = ErrorTexts(
      "the peripheral refused a request for attribute \(handle): error \(errorCode)\(known.map { ", \($0)" } ?? "")",
      cure: known?.cure ?? "look the number up in the peripheral's documentation")
  }

  /// An error that the library finds before the peripheral does.
  init(_ code: Code, _ reason: String) {
    errorCode = code.rawValue
    texts = ErrorTexts(reason, cure: code.cure)
  }

  /// The code; one that is no case is ``Code/unlikelyError``.
  public var code: Code { Code(rawValue: errorCode) ?? .unlikelyError }
  /// The reason.
  public var userInfo: [String: Any] { texts.userInfo }
  /// The same as ``userInfo``.
  public var errorUserInfo: [String: Any] { userInfo }
  /// The case, the peripheral's number, and the sentence.
  public var description: String { texts.description(Self.self, code, errorCode) }
  /// ``CBATTErrorDomain``.
  public static var errorDomain: String { CBATTErrorDomain }

  /// For `catch CBATTError.success`.
  public static var success: Code { .success }
  /// For `catch CBATTError.invalidHandle`.
  public static var invalidHandle: Code { .invalidHandle }
  /// For `catch CBATTError.readNotPermitted`.
  public static var readNotPermitted: Code { .readNotPermitted }
  /// For `catch CBATTError.writeNotPermitted`.
  public static var writeNotPermitted: Code { .writeNotPermitted }
  /// For `catch CBATTError.invalidPdu`.
  public static var invalidPdu: Code { .invalidPdu }
  /// For `catch CBATTError.insufficientAuthentication`.
  public static var insufficientAuthentication: Code { .insufficientAuthentication }
  /// For `catch CBATTError.requestNotSupported`.
  public static var requestNotSupported: Code { .requestNotSupported }
  /// For `catch CBATTError.invalidOffset`.
  public static var invalidOffset: Code { .invalidOffset }
  /// For `catch CBATTError.insufficientAuthorization`.
  public static var insufficientAuthorization: Code { .insufficientAuthorization }
  /// For `catch CBATTError.prepareQueueFull`.
  public static var prepareQueueFull: Code { .prepareQueueFull }
  /// For `catch CBATTError.attributeNotFound`.
  public static var attributeNotFound: Code { .attributeNotFound }
  /// For `catch CBATTError.attributeNotLong`.
  public static var attributeNotLong: Code { .attributeNotLong }
  /// For `catch CBATTError.insufficientEncryptionKeySize`.
  public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
  /// For `catch CBATTError.invalidAttributeValueLength`.
  public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
  /// For `catch CBATTError.unlikelyError`.
  public static var unlikelyError: Code { .unlikelyError }
  /// For `catch CBATTError.insufficientEncryption`.
  public static var insufficientEncryption: Code { .insufficientEncryption }
  /// For `catch CBATTError.unsupportedGroupType`.
  public static var unsupportedGroupType: Code { .unsupportedGroupType }
  /// For `catch CBATTError.insufficientResources`.
  public static var insufficientResources: Code { .insufficientResources }
}

extension CBATTError.Code {
  fileprivate var cure: String {
    switch self {
    case .readNotPermitted, .writeNotPermitted, .requestNotSupported:
      "check the characteristic's properties first"
    case .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryptionKeySize,
      .insufficientEncryption:
      "set the accessory up with supportedOptions = .bluetoothPairingLE"
    case .invalidHandle, .attributeNotFound: "discover the peripheral's services again"
    case .invalidOffset, .attributeNotLong, .invalidAttributeValueLength:
      "use a value of the length that the attribute takes"
    case .prepareQueueFull, .insufficientResources, .unlikelyError: "try again"
    case .success, .invalidPdu, .unsupportedGroupType: "report it to the peripheral's manufacturer"
    }
  }
}
