// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import JSON

/// The `settings` of ShowPicker: `ASPickerDisplaySettings`.
enum SettingsFields {
  /// Reads them; without any, they are as AccessorySetupKit's.
  static func read(_ value: JSONElement?) throws(SetupFailure) -> PickerSettings {
    var settings = PickerSettings()
    guard case .object(let object)? = value else { return settings }
    let fields = FieldReader(object, at: "settings")
    if let text = fields.text("discoveryTimeout") {
      guard let timeout = PickerSettings.DiscoveryTimeout(text: text) else {
        throw fields.failure(
          "discoveryTimeout", PickerSettings.DiscoveryTimeout.textReason,
          cure: PickerSettings.DiscoveryTimeout.textCure)
      }
      settings.discoveryTimeout = timeout
    }
    settings.options = try fields.options(
      "options", among: PickerSettings.Options.filterDiscoveryResults, named: "filterDiscoveryResults 1, or 0"
    )
    return settings
  }
}

extension PickerSettings.DiscoveryTimeout {
  static let textReason = "this is no time to wait"
  static let textCure =
    "use \"short\", \"medium\", \"long\", \"unbounded\", or seconds from \"1\" to \"3600\""

  /// As calls write it; nil for anything else.
  init?(text: String) {
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
