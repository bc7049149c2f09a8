// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest

// Why pickers end by themselves.

extension PickerRequest {
  /// The time to look is over, and what was looked for did not come, or was not chosen.
  var nothingCame: SetupFailure {
    if choice == .touch, let touchRefusal {
      return SetupFailure(.discoveryTimeout, touchRefusal.reason, cure: touchRefusal.cure)
    }
    if isFiltered, phase == .discovering, discovered > 0 { return .nothingShown(of: discovered) }
    guard case .seconds(let seconds) = settings.discoveryTimeout else { return .nothingFound }
    let milliseconds = Int64(seconds) * 1000
    switch choice {
    case .person: return phase == .choosing ? .nobodyChose(inMilliseconds: milliseconds) : .nothingFound
    case .touch: return .nothingFound
    case .firstImmediate:
      return SetupFailure(
        .discoveryTimeout, "nothing that matches was held at the gateway in \(Self.spoken(milliseconds))",
        cure: "hold the accessory at the gateway; accessoryctl try says how near a device has come")
    case .device(let bits):
      let address = AddressText.text(of: bits)
      return SetupFailure(
        .discoveryTimeout,
        "\(address) was not found in \(Self.spoken(milliseconds)), or is nothing that was looked for",
        cure: "bring it near and switch it on; accessoryctl explain \(address) says why it does not match")
    }
  }

  fileprivate static func spoken(_ milliseconds: Int64) -> String {
    guard milliseconds >= 60_000, milliseconds % 60_000 == 0 else { return "\(milliseconds / 1000) s" }
    return milliseconds == 60_000 ? "a minute" : "\(milliseconds / 60_000) minutes"
  }
}

extension SetupFailure {
  /// Nothing was found in time.
  public static var nothingFound: Self {
    Self(
      .discoveryTimeout, "nothing that matches was found",
      cure: "bring the accessory near and switch it on; accessoryctl try says why a device does not match")
  }

  /// In a filtered picker.
  fileprivate static func nothingShown(of count: Int) -> Self {
    Self(
      .discoveryTimeout, "the app was told of \(count) \(count == 1 ? "device" : "devices") and showed none",
      cure: "call UpdatePicker with those that people may choose from")
  }

  static var radioDown: Self {
    Self(.connectionFailed, "the radio is down", cure: "see accessoryctl status")
  }

  static func nobodyChose(inMilliseconds milliseconds: Int64) -> Self {
    .userCancelled(reason: "nobody chose in \(PickerRequest.spoken(milliseconds))")
  }
}
