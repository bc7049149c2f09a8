// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Varlink

/// The `settings` of ShowPicker: `ASPickerDisplaySettings`.
enum SettingsFields {
  /// Reads them; without any, they are as AccessorySetupKit's.
  static func read(_ value: JSONValue?) throws(SetupError) -> PickerSettings {
    var settings = PickerSettings()
    guard case .object(let object)? = value else { return settings }
    let fields = JSONObjectReader(object, at: "settings")
    if let text = fields.checkedString("discoveryTimeout") {
      guard let timeout = PickerSettings.DiscoveryTimeout(text: text) else {
        throw fields.failure(
          "discoveryTimeout", DiscoveryTimeout.textReason,
          cure: DiscoveryTimeout.textCure)
      }
      settings.discoveryTimeout = timeout
    }
    settings.options =
      try fields.options(
        "options", among: PickerSettings.Options.filterDiscoveryResults,
        named: "filterDiscoveryResults 1, or 0") ?? []
    return settings
  }
}

extension PickerSettings.DiscoveryTimeout {
  /// As calls write it; nil for anything else.
  init?(text: String) {
    guard let timeout = DiscoveryTimeout(text: text) else { return nil }
    switch timeout {
    case .short: self = .short
    case .medium: self = .medium
    case .long: self = .long
    case .unbounded: self = .unbounded
    case .seconds(let seconds): self = .seconds(seconds)
    }
  }
}
