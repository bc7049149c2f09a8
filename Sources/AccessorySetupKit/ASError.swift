// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
package import SessionClient
import Values

/// The domain of this library's errors.
public let ASErrorDomain = "ASErrorDomain"

/// An error of accessory discovery and setup.
///
/// `localizedDescription` is a whole sentence: what is wrong with what, and what to do. `userInfo` has texts only: this
/// sentence, its parts (`NSLocalizedFailureReasonErrorKey`, `NSLocalizedRecoverySuggestionErrorKey`), and the parameter
/// with the error (`ASErrorFieldKey`).
public struct ASError: CustomNSError, CustomStringConvertible, Hashable, Sendable {
  /// What went wrong, with AccessorySetupKit's raw values.
  @nonexhaustive public enum Code: Int, Sendable, BitwiseCopyable {
    /// No error. It is never reported.
    case success = 0
    /// The agent has an internal error, or is older than this library.
    case unknown = 1
    /// The account may not act as the app.
    case activationFailed = 100
    /// The agent or the accessory cannot be reached, or the radio is down.
    case connectionFailed = 150
    /// The picker found nothing in time.
    case discoveryTimeout = 200
    /// The manifest has no items for the app.
    case extensionNotFound = 300
    /// The session was invalidated.
    case invalidated = 400
    /// The call has a mistake; `ASErrorFieldKey` in `userInfo` names it.
    case invalidRequest = 450
    /// The app has an open picker.
    case pickerAlreadyActive = 500
    /// The app asked too often.
    case pickerRestricted = 550
    /// An operator closed the picker, or did not respond.
    case userCancelled = 700
    /// An operator denied the request.
    case userRestricted = 750

    /// ``ASErrorDomain``.
    public static var errorDomain: String { ASErrorDomain }

    /// Whether an error has this code: `catch ASError.userCancelled`.
    public static func ~= (match: Code, error: any Error) -> Bool { (error as? ASError)?.code == match }
  }

  package static let fieldKey = "ASErrorFieldKey"

  /// What went wrong.
  public let code: Code
  private let texts: ErrorTexts

  /// Values of `userInfo` that are no texts are left out.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    texts = ErrorTexts(userInfo)
  }

  package init(_ error: SessionError) {
    code = Code(rawValue: error.code.rawValue) ?? .unknown
    texts = ErrorTexts(
      AppWords.sentence(error.reason, about: error.field),
      cure: AppWords.sentence(error.cure, about: error.field), field: error.field)
  }

  /// The sentence, its parts, and the parameter with the error.
  public var userInfo: [String: Any] { texts.userInfo }
  /// The raw value of ``code``.
  public var errorCode: Int { code.rawValue }
  /// The same as ``userInfo``.
  public var errorUserInfo: [String: Any] { userInfo }
  /// The case, its raw value, and the sentence: `ASError.userCancelled (700): …`.
  public var description: String { texts.description(Self.self, code, errorCode) }
  /// ``ASErrorDomain``.
  public static var errorDomain: String { ASErrorDomain }

  /// For `catch ASError.success`.
  public static var success: Code { .success }
  /// For `catch ASError.unknown`.
  public static var unknown: Code { .unknown }
  /// For `catch ASError.activationFailed`.
  public static var activationFailed: Code { .activationFailed }
  /// For `catch ASError.connectionFailed`.
  public static var connectionFailed: Code { .connectionFailed }
  /// For `catch ASError.discoveryTimeout`.
  public static var discoveryTimeout: Code { .discoveryTimeout }
  /// For `catch ASError.extensionNotFound`.
  public static var extensionNotFound: Code { .extensionNotFound }
  /// For `catch ASError.invalidated`.
  public static var invalidated: Code { .invalidated }
  /// For `catch ASError.invalidRequest`.
  public static var invalidRequest: Code { .invalidRequest }
  /// For `catch ASError.pickerAlreadyActive`.
  public static var pickerAlreadyActive: Code { .pickerAlreadyActive }
  /// For `catch ASError.pickerRestricted`.
  public static var pickerRestricted: Code { .pickerRestricted }
  /// For `catch ASError.userCancelled`.
  public static var userCancelled: Code { .userCancelled }
  /// For `catch ASError.userRestricted`.
  public static var userRestricted: Code { .userRestricted }
}
