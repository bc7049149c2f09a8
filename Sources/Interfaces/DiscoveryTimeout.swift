// SPDX-License-Identifier: Apache-2.0

/// How long a request waits for a first candidate: `discoveryTimeout` of ShowPicker and Open.
public enum DiscoveryTimeout: Hashable, Sendable {
  case short, medium, long
  case seconds(Int32)
  /// Only the app or an operator ends the wait.
  case unbounded

  /// The seconds that a call may ask for.
  public static let secondsRange: ClosedRange<Int32> = 1...3600
  public static let textReason = "this is not a valid timeout"
  public static let textCure =
    "use \"short\", \"medium\", \"long\", \"unbounded\", or seconds from \"1\" to \"3600\""

  /// As calls and command lines write it; nil for anything else.
  public init?(text: String) {
    switch text {
    case "short": self = .short
    case "medium": self = .medium
    case "long": self = .long
    case "unbounded": self = .unbounded
    default:
      // No sign, no space, no leading zero.
      guard let seconds = Int32(text), "\(seconds)".utf8.elementsEqual(text.utf8),
        Self.secondsRange.contains(seconds)
      else { return nil }
      self = .seconds(seconds)
    }
  }
}
