// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
package import SessionClient

/// The domain of this library's errors.
public let ASErrorDomain = "ASErrorDomain"

/// An error of accessory discovery and setup.
///
/// `userInfo` has texts only: the reason (`NSLocalizedDescriptionKey`), what to do
/// (`NSLocalizedRecoverySuggestionErrorKey`), and the parameter with the error (`ASErrorFieldKey`).
public struct ASError: CustomNSError, Hashable, Sendable {
  @nonexhaustive public enum Code: Int, Sendable, BitwiseCopyable {
    case success = 0
    case unknown = 1
    case activationFailed = 100
    case connectionFailed = 150
    case discoveryTimeout = 200
    case extensionNotFound = 300
    case invalidated = 400
    case invalidRequest = 450
    case pickerAlreadyActive = 500
    case pickerRestricted = 550
    case userCancelled = 700
    case userRestricted = 750

    public static var errorDomain: String { ASErrorDomain }

    /// Whether an error has this code: `catch ASError.userCancelled`.
    public static func ~= (match: Code, error: any Error) -> Bool { (error as? ASError)?.code == match }
  }

  private static let fieldKey = "ASErrorFieldKey"

  public let code: Code
  private let texts: [String: String]

  /// Values of `userInfo` that are no texts are left out.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    texts = userInfo.compactMapValues { $0 as? String }
  }

  package init(_ error: SessionError) {
    code = Code(rawValue: error.code.rawValue) ?? .unknown
    var texts = [NSLocalizedDescriptionKey: error.reason, NSLocalizedRecoverySuggestionErrorKey: error.cure]
    texts[Self.fieldKey] = error.field
    self.texts = texts
  }

  public var userInfo: [String: Any] { texts }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] { texts }
  public static var errorDomain: String { ASErrorDomain }

  public static var success: Code { .success }
  public static var unknown: Code { .unknown }
  public static var activationFailed: Code { .activationFailed }
  public static var connectionFailed: Code { .connectionFailed }
  public static var discoveryTimeout: Code { .discoveryTimeout }
  public static var extensionNotFound: Code { .extensionNotFound }
  public static var invalidated: Code { .invalidated }
  public static var invalidRequest: Code { .invalidRequest }
  public static var pickerAlreadyActive: Code { .pickerAlreadyActive }
  public static var pickerRestricted: Code { .pickerRestricted }
  public static var userCancelled: Code { .userCancelled }
  public static var userRestricted: Code { .userRestricted }
}
