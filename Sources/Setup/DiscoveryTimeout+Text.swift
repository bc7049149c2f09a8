// SPDX-License-Identifier: GPL-3.0-or-later

extension PickerSettings.DiscoveryTimeout {
  public static let textReason = "this is no time to wait"
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
      // No sign, no space, no zero in front.
      guard let seconds = Int32(text), "\(seconds)".utf8.elementsEqual(text.utf8),
        Self.secondsRange.contains(seconds)
      else { return nil }
      self = .seconds(seconds)
    }
  }
}
