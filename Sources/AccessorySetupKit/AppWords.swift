// SPDX-License-Identifier: Apache-2.0

/// What an author of an app calls the names of the agent's interface, in errors.
enum AppWords {
  private static let words = [
    "Activate": "activate(on:eventHandler:)", "Invalidate": "invalidate()",
    "List": "ASAccessorySession.accessories",
    "ShowPicker": "showPicker(for:)", "UpdatePicker": "updatePicker(showing:)",
    "FinishPickerDiscovery": "finishPickerDiscovery()", "CancelPicker": "cancelPicker()",
    "RenameAccessory": "renameAccessory(_:options:)", "RemoveAccessory": "removeAccessory(_:)",
    "FinishAuthorization": "finishAuthorization(for:settings:)",
    "FailAuthorization": "failAuthorization(for:)",
    "UpdateAuthorization": "updateAuthorization(for:descriptor:)",
    "WatchAdvertisements": "advertisements(readings:)", "Resolve": "address(of:)",
    "Connect": "CBCentralManager.connect(_:options:)", "ReadRSSI": "CBPeripheral.readRSSI()",
    "pickerFinished": "pickerDidDismiss",
  ]

  /// The agent adds their numbers.
  private static let options: Set = [
    "default", "immediate", "awaitingAuthorization", "authorized", "filterDiscoveryResults", "rename",
    "confirmAuthorization", "finishInApp", "ssid",
  ]

  /// The properties of `ASMigrationDisplayItem`.
  private static let migration = ["bluetoothIdentifier": "peripheralIdentifier", "ssid": "hotspotSSID"]

  /// The parameter of the app's call; nil when the session is meant, which is none.
  static func field(_ field: String) -> String? {
    guard field != "session" else { return nil }
    var parts = field.split(separator: ".").map(String.init)
    if parts.first == "settings" { parts[0] = "pickerDisplaySettings" }
    guard let first = parts.first, first == "items" || first.hasPrefix("items[") else {
      return parts.joined(separator: ".")
    }
    parts[0] = "displayItems" + first.dropFirst("items".count)
    if let last = parts.last, last == "discovered" { parts[parts.count - 1] = "accessory" }
    if let index = parts.firstIndex(of: "migrate") {
      parts[(index + 1)...] = parts[(index + 1)...].map { migration[$0] ?? $0 }[...]
      parts.remove(at: index)
    }
    return parts.joined(separator: ".")
  }

  /// A reason or a cure. What is quoted stays as it is.
  static func sentence(_ sentence: String, about field: String?) -> String {
    let isMigration = field?.contains(".migrate") ?? false
    var result: [String] = []
    var (isQuoted, isOption) = (false, false)
    for token in sentence.split(separator: " ", omittingEmptySubsequences: false) {
      let word = String(token.prefix { $0.isLetter || $0.isNumber })
      let rest = token.dropFirst(word.count)
      let isWord = !isQuoted && rest.allSatisfy { ",;:)".contains($0) }
      if token.count(where: { $0 == "\"" }) % 2 == 1 { isQuoted.toggle() }
      if isOption, isWord, !word.isEmpty, word.allSatisfy(\.isNumber) {
        result[result.count - 1] += rest
        isOption = false
        continue
      }
      isOption = isWord && rest.isEmpty && options.contains(word)
      let name = isWord ? (isMigration ? migration[word] : nil) ?? words[word] : nil
      result.append(name.map { $0 + rest } ?? String(token))
    }
    return result.joined(separator: " ")
  }
}
