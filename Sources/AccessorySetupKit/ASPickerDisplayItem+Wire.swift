// SPDX-License-Identifier: Apache-2.0

import Foundation
import SessionClient
import Values

extension ASPickerDisplayItem {
  /// As the agent reads it. `path` names the item in errors: `items[1]`.
  func requested(at path: String) throws(SessionError) -> RequestedItem {
    RequestedItem(
      name: name, productImage: productImage.productText,
      descriptor: try descriptor.line(at: "\(path).descriptor"),
      setupOptions: setupOptions.bits,
      renameOptions: renameOptions.bits, migration: try migration(at: path))
  }

  private func migration(at path: String) throws(SessionError) -> RequestedItem.Migration? {
    guard let item = self as? ASMigrationDisplayItem else { return nil }
    let pairedDevice = item.wifiAwarePairedDeviceID
    guard item.peripheralIdentifier != nil || item.hotspotSSID != nil || pairedDevice != 0 else {
      throw SessionError(
        .invalidRequest, field: "\(path).peripheralIdentifier", "nothing says what to migrate",
        cure: "set peripheralIdentifier or hotspotSSID")
    }
    let digits = item.peripheralIdentifier?.uuidString.filter { $0 != "-" }.lowercased()
    var migration = RequestedItem.Migration(bluetoothIdentifier: digits, ssid: item.hotspotSSID)
    migration.wifiAwarePairedDeviceID = pairedDevice == 0 ? nil : pairedDevice
    return migration
  }
}

extension ASDiscoveredDisplayItem {
  var shown: ShownDevice {
    ShownDevice(
      discovered: accessory.number, name: name, productImage: productImage.productText,
      setupOptions: setupOptions.bits,
      renameOptions: renameOptions.bits,
      supportedOptions: descriptor.supportedOptions.bits)
  }
}

extension ASPickerDisplaySettings {
  private static let defaultSeconds: TimeInterval = 30
  private static let secondsMax: TimeInterval = 3600

  var requested: RequestedSettings {
    get throws(SessionError) {
      RequestedSettings(discoveryTimeout: try timeout, options: options.bits)
    }
  }

  /// Whole seconds, rounded up; nil for the default.
  private var timeout: String? {
    get throws(SessionError) {
      let seconds = discoveryTimeout.rawValue
      if seconds == .infinity { return "unbounded" }
      guard seconds > 0, seconds <= Self.secondsMax else {
        throw SessionError(
          .invalidRequest, field: "settings.discoveryTimeout", "\(seconds) s is not a valid timeout",
          cure: "use more than 0 and at most 3600 s, or unbounded")
      }
      return seconds == Self.defaultSeconds ? nil : String(Int(seconds.rounded(.up)))
    }
  }
}

extension UIImage {
  private static let byteCountMax = 255

  /// What operators see; nil when there is none, or it is too long for them.
  var productText: String? {
    guard let text, !text.isEmpty, text.utf8.count <= Self.byteCountMax else { return nil }
    return text
  }
}
