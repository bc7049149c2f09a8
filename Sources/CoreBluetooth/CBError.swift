// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The domain of ``CBError``.
public let CBErrorDomain = "CBErrorDomain"

/// An error of a central manager or a peripheral. `localizedDescription` says what happened.
public struct CBError: CustomNSError, Hashable, Sendable {
  /// What went wrong, by iOS's raw values.
  @nonexhaustive public enum Code: Int, Sendable, BitwiseCopyable {
    case unknown = 0
    case invalidParameters = 1
    case invalidHandle = 2
    case notConnected = 3
    case outOfSpace = 4
    case operationCancelled = 5
    case connectionTimeout = 6
    case peripheralDisconnected = 7
    case uuidNotAllowed = 8
    case alreadyAdvertising = 9
    case connectionFailed = 10
    case connectionLimitReached = 11
    case unknownDevice = 12
    case operationNotSupported = 13
    case peerRemovedPairingInformation = 14
    case encryptionTimedOut = 15
    case tooManyLEPairedDevices = 16
    case leGattExceededBackgroundNotificationLimit = 17
    case leGattNearBackgroundNotificationLimit = 18

    public static var errorDomain: String { CBErrorDomain }

    /// Whether an error has this code: `catch CBError.notConnected`.
    public static func ~= (match: Code, error: any Error) -> Bool { (error as? CBError)?.code == match }
  }

  public let code: Code
  private let texts: [String: String]

  /// Values of `userInfo` that are no texts are left out.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    texts = userInfo.compactMapValues { $0 as? String }
  }

  package init(_ code: Code, _ reason: String, cure: String? = nil) {
    self.code = code
    var texts = [NSLocalizedDescriptionKey: reason]
    texts[NSLocalizedRecoverySuggestionErrorKey] = cure
    self.texts = texts
  }

  public var userInfo: [String: Any] { texts }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] { texts }
  public static var errorDomain: String { CBErrorDomain }

  public static var unknown: Code { .unknown }
  public static var invalidParameters: Code { .invalidParameters }
  public static var invalidHandle: Code { .invalidHandle }
  public static var notConnected: Code { .notConnected }
  public static var outOfSpace: Code { .outOfSpace }
  public static var operationCancelled: Code { .operationCancelled }
  public static var connectionTimeout: Code { .connectionTimeout }
  public static var peripheralDisconnected: Code { .peripheralDisconnected }
  public static var uuidNotAllowed: Code { .uuidNotAllowed }
  public static var alreadyAdvertising: Code { .alreadyAdvertising }
  public static var connectionFailed: Code { .connectionFailed }
  public static var connectionLimitReached: Code { .connectionLimitReached }
  public static var unknownDevice: Code { .unknownDevice }
  public static var operationNotSupported: Code { .operationNotSupported }
  public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
  public static var encryptionTimedOut: Code { .encryptionTimedOut }
  public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
}
