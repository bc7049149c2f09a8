// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import AccessorySetupKit
public import Foundation

/// The domain of ``CBError``.
public let CBErrorDomain = "CBErrorDomain"

/// An error of a central manager or a peripheral. `localizedDescription` says what happened, and what to do.
public struct CBError: CustomNSError, CustomStringConvertible, Hashable, Sendable {
  /// What went wrong, by iOS's raw values.
  @nonexhaustive public enum Code: Int, Sendable, BitwiseCopyable {
    /// Another error; its text says which.
    case unknown = 0
    /// An argument is wrong.
    case invalidParameters = 1
    /// The attribute is of an earlier connection.
    case invalidHandle = 2
    /// The peripheral is not connected.
    case notConnected = 3
    /// Too much waits to be sent.
    case outOfSpace = 4
    /// The operation was cancelled.
    case operationCancelled = 5
    /// The peripheral did not respond in time, or is out of reach.
    case connectionTimeout = 6
    /// The peripheral ended the connection.
    case peripheralDisconnected = 7
    /// The app may not use this UUID.
    case uuidNotAllowed = 8
    /// Never reported: an app on a gateway does not advertise.
    case alreadyAdvertising = 9
    /// The connection failed.
    case connectionFailed = 10
    /// The peripheral is connected to another app or program.
    case connectionLimitReached = 11
    /// The peripheral is no authorized accessory of this app.
    case unknownDevice = 12
    /// The gateway, or its agent, cannot do this.
    case operationNotSupported = 13
    /// The peripheral no longer has its keys.
    case peerRemovedPairingInformation = 14
    /// The connection was not encrypted in time.
    case encryptionTimedOut = 15
    /// Too many devices are paired.
    case tooManyLEPairedDevices = 16
    /// Never reported: a gateway has no background.
    case leGattExceededBackgroundNotificationLimit = 17
    /// Never reported: a gateway has no background.
    case leGattNearBackgroundNotificationLimit = 18
    /// Never reported: a gateway measures no distances.
    case channelSoundingProcedureFailed = 19
    /// A gateway cannot measure distances with Channel Sounding.
    case channelSoundingConfigurationFailed = 20

    /// ``CBErrorDomain``.
    public static var errorDomain: String { CBErrorDomain }

    /// Whether an error has this code: `catch CBError.notConnected`.
    public static func ~= (match: Code, error: any Error) -> Bool { (error as? CBError)?.code == match }
  }

  /// What went wrong.
  public let code: Code
  private let texts: ErrorTexts

  /// Values of `userInfo` that are no texts are left out.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    texts = ErrorTexts(userInfo)
  }

  package init(_ code: Code, _ reason: String, cure: String) {
    self.code = code
    texts = ErrorTexts(reason, cure: cure)
  }

  /// The reason, and what to do.
  public var userInfo: [String: Any] { texts.userInfo }
  /// The raw value of ``code``.
  public var errorCode: Int { code.rawValue }
  /// The same as ``userInfo``.
  public var errorUserInfo: [String: Any] { userInfo }
  /// The case, its raw value, and the sentence.
  public var description: String { texts.description(Self.self, code, errorCode) }
  /// ``CBErrorDomain``.
  public static var errorDomain: String { CBErrorDomain }

  /// For `catch CBError.unknown`.
  public static var unknown: Code { .unknown }
  /// For `catch CBError.invalidParameters`.
  public static var invalidParameters: Code { .invalidParameters }
  /// For `catch CBError.invalidHandle`.
  public static var invalidHandle: Code { .invalidHandle }
  /// For `catch CBError.notConnected`.
  public static var notConnected: Code { .notConnected }
  /// For `catch CBError.outOfSpace`.
  public static var outOfSpace: Code { .outOfSpace }
  /// For `catch CBError.operationCancelled`.
  public static var operationCancelled: Code { .operationCancelled }
  /// For `catch CBError.connectionTimeout`.
  public static var connectionTimeout: Code { .connectionTimeout }
  /// For `catch CBError.peripheralDisconnected`.
  public static var peripheralDisconnected: Code { .peripheralDisconnected }
  /// For `catch CBError.uuidNotAllowed`.
  public static var uuidNotAllowed: Code { .uuidNotAllowed }
  /// For `catch CBError.alreadyAdvertising`.
  public static var alreadyAdvertising: Code { .alreadyAdvertising }
  /// For `catch CBError.connectionFailed`.
  public static var connectionFailed: Code { .connectionFailed }
  /// For `catch CBError.connectionLimitReached`.
  public static var connectionLimitReached: Code { .connectionLimitReached }
  /// For `catch CBError.unknownDevice`.
  public static var unknownDevice: Code { .unknownDevice }
  /// For `catch CBError.operationNotSupported`.
  public static var operationNotSupported: Code { .operationNotSupported }
  /// For `catch CBError.peerRemovedPairingInformation`.
  public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
  /// For `catch CBError.encryptionTimedOut`.
  public static var encryptionTimedOut: Code { .encryptionTimedOut }
  /// For `catch CBError.tooManyLEPairedDevices`.
  public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
  /// For `catch CBError.channelSoundingProcedureFailed`.
  public static var channelSoundingProcedureFailed: Code { .channelSoundingProcedureFailed }
  /// For `catch CBError.channelSoundingConfigurationFailed`.
  public static var channelSoundingConfigurationFailed: Code { .channelSoundingConfigurationFailed }
}
