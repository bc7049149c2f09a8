// SPDX-License-Identifier: Apache-2.0

public import Foundation

// iOS 27's Channel Sounding. Linux offers no way to it: `CBCentralManager.supports(.channelSounding)` is false, and a
// session ends at once with `channelSoundingConfigurationFailed`.

/// How a session that measures a distance would be made.
open class CBChannelSoundingSessionConfiguration: NSObject, @unchecked Sendable {
  /// The part that the peripheral plays.
  @nonexhaustive public enum Role: Int, Sendable, BitwiseCopyable {
    /// The peripheral begins each measurement.
    case initiator = 0
  }

  /// The part that the peripheral plays.
  public let role: Role

  /// Takes the part that the peripheral plays.
  public init(role: Role) { self.role = role }
}

/// The result of a measurement. No gateway makes one.
open class CBChannelSoundingProcedureResults: NSObject, @unchecked Sendable {
  /// In metres.
  open var distance: Double { .nan }

  override init() {}
}

extension CBPeripheral {
  /// Ends at once: the delegate receives `didCompleteChannelSoundingSession` with
  /// ``CBError/Code/channelSoundingConfigurationFailed``.
  public func startChannelSoundingSession(_ configuration: CBChannelSoundingSessionConfiguration) {
    engine.deliver { [self] _ in
      delegate?.peripheral(self, didCompleteChannelSoundingSession: CBError.noChannelSounding)
    }
  }

  /// Does nothing: there is never a session.
  public func cancelChannelSoundingSession() {}
}

extension CBError {
  fileprivate static let noChannelSounding = CBError(
    .channelSoundingConfigurationFailed, "a gateway cannot measure distances with Channel Sounding",
    cure: "ask CBCentralManager.supports(.channelSounding) first, and use readRSSI() where it is false")
}
