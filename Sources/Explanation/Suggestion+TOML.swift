// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
public import Interfaces
public import JSON
import Manifest

// A suggestion as text for a manifest.

extension Suggestion: Line {
  private static let columnsMax = 80

  /// A whole manifest with the item.
  public var toml: String {
    let lists = [
      (AppKey.companyIdentifiers.rawValue, descriptor.companyIdentifier.map(Self.quoted)),
      (AppKey.services.rawValue, descriptor.serviceUUID.map(Self.quoted)),
      (AppKey.names.rawValue, descriptor.nameSubstring.map { Self.quoted(AirText($0).repaired) }),
    ]
    let app = ["[app.new]", "user = \"daemon\"", "supports = [\"Bluetooth\"]"]
    let declarations = lists.compactMap { key, value in value.map { "\(key) = [\($0)]" } }
    let lines = ["schema = 1", "# Name the app and its own account."] + app + declarations + [""] + itemLines
    return lines.joined(separator: "\n") + "\n"
  }

  /// The item's table with its comments.
  private var itemLines: [String] {
    let reports = "\(reportCount) \(reportCount == 1 ? "report" : "reports")"
    let origin = "From \(reports) of \(address.text ?? "?") (\(address.type.text))."
    let clauses = self.clauses.map { key, value in "descriptor.\(key.rawValue) = \(value)" }
    return Self.comment(([origin] + notes).joined(separator: " "))
      + warnings.flatMap { Self.comment("Warning: \($0)") }
      + ["[[app.new.item]]", "name = \(Self.quoted(itemName))"] + clauses
  }

  private var clauses: [(DescriptorKey, String)] {
    var clauses: [(DescriptorKey, String)] = []
    if let company = descriptor.companyIdentifier {
      clauses.append((.companyIdentifier, Self.quoted(company)))
    }
    if let data = descriptor.manufacturerData {
      clauses.append((.manufacturerDataBlob, "\"\(Hex(data.blob).text)\""))
      clauses.append((.manufacturerDataMask, "\"\(Hex(data.mask).text)\""))
    }
    if let service = descriptor.serviceUUID { clauses.append((.serviceUUID, Self.quoted(service))) }
    if let data = descriptor.serviceData {
      clauses.append((.serviceDataBlob, "\"\(Hex(data.blob).text)\""))
      clauses.append((.serviceDataMask, "\"\(Hex(data.mask).text)\""))
    }
    if let name = descriptor.nameSubstring {
      // Only beginnings of names are suggested.
      clauses.append((.namePrefix, Self.quoted(AirText(name).repaired)))
    }
    return clauses
  }

  private static func quoted(_ company: UInt16) -> String {
    "\"0x\(Hex.digits(UInt64(company), count: 4).uppercased())\""
  }

  private static func quoted(_ service: BluetoothUUID) -> String { "\"\(service.text)\"" }

  /// A TOML basic string.
  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
      return scalar.isInvisible ? "\\U" + Hex.digits(UInt64(scalar.value), count: 8) : String(scalar)
    }
    return "\"\(escaped.joined())\""
  }

  /// Comment lines of at most 80 columns.
  private static func comment(_ text: String) -> [String] {
    var lines: [String] = []
    var line = "#"
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > columnsMax, line != "#" {
        lines.append(line)
        line = "#"
      }
      line += " \(word)"
    }
    return lines + [line]
  }

  public func writeMembers(to json: inout JSONWriter) { SuggestionLine(self).writeMembers(to: &json) }
}

extension SuggestionLine {
  public init(_ suggestion: Suggestion) {
    self.init(
      address: WireAddress(suggestion.address), reportCount: suggestion.reportCount,
      warnings: suggestion.warnings, toml: suggestion.toml)
  }
}
