// SPDX-License-Identifier: GPL-3.0-or-later

/// Values as a manifest has them (TOML 1.0).
public enum ManifestText {
  /// A basic string. Characters that a reader or a terminal would not show are escaped.
  public static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
      guard scalar.isInvisible else { return String(scalar) }
      return scalar.value < 0x80
        ? "\\u" + Hex.digits(UInt64(scalar.value), count: 4)
        : "\\U" + Hex.digits(UInt64(scalar.value), count: 8)
    }
    return "\"\(escaped.joined())\""
  }

  public static func list(_ texts: [String]) -> String {
    "[" + texts.map(quoted).joined(separator: ", ") + "]"
  }
}

extension DiscoveryDescriptor {
  /// What it looks for, as lines of its table in a manifest: `bluetooth-company-identifier = "0x0EEE"`. What is only kept
  /// for the app, and how a device is paired, is left out.
  public var lines: [String] {
    let isPrefix = nameCompareOptions == .anchored
    let name = nameSubstring.map { String(decoding: $0, as: UTF8.self) }
    let clauses: [(DescriptorKey, String?)] = [
      (.companyIdentifier, companyIdentifier.map(Hex.company)),
      (.manufacturerDataBlob, manufacturerData.map { Hex($0.blob).text }),
      (.manufacturerDataMask, manufacturerData.map { Hex($0.mask).text }),
      (.serviceUUID, serviceUUID.map(IdentifierText.text)),
      (.serviceDataBlob, serviceData.map { Hex($0.blob).text }),
      (.serviceDataMask, serviceData.map { Hex($0.mask).text }),
      (isPrefix ? .namePrefix : .nameSubstring, name),
      (.addressPrefix, addressPrefix.map(AddressText.text)),
      (.range, range == .immediate ? "immediate" : nil),
    ]
    let options = isPrefix ? [] : nameCompareOptions.words
    return clauses.compactMap { key, text in text.map { "\(key.rawValue) = \(ManifestText.quoted($0))" } }
      + (options.isEmpty
        ? [] : ["\(DescriptorKey.nameCompareOptions.rawValue) = \(ManifestText.list(options))"])
      + Self.line(ssid, .ssid, .ssidHex) + Self.line(ssidPrefix, .ssidPrefix, .ssidPrefixHex)
  }

  /// A network's name, which need not be text.
  private static func line(_ name: [UInt8]?, _ key: DescriptorKey, _ hexKey: DescriptorKey) -> [String] {
    guard let name else { return [] }
    guard let text = String(validating: name, as: UTF8.self) else {
      return ["\(hexKey.rawValue) = \(ManifestText.quoted(Hex(name).text))"]
    }
    return ["\(key.rawValue) = \(ManifestText.quoted(text))"]
  }
}
