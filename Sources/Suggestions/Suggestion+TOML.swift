// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
public import Interfaces
public import JSON
import Manifest
public import ManifestEdits

// A suggestion as text for a manifest.

extension Suggestion: Line {
  package static let columnsMax = 80

  /// The item with comments on where it comes from.
  public var item: SuggestedItem {
    let reports = "\(reportCount) \(reportCount == 1 ? "report" : "reports")"
    let origin = "From \(reports) of \(address.text ?? "?") (\(address.type.word))."
    let comments =
      Self.comment(([origin] + notes).joined(separator: " "))
      + warnings.flatMap { Self.comment("Warning: \($0)") }
    return SuggestedItem(
      name: itemName, descriptor: descriptor, lostMilliseconds: lostMilliseconds, comments: comments)
  }

  /// Comment lines of at most `columnsMax` columns, unless a word alone is wider.
  package static func comment(_ text: String, columnsMax: Int = columnsMax) -> [String] {
    var lines: [String] = []
    var line = "#"
    // A name of a device may be in it.
    let text = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isInvisible ? " " : $0 }))
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > columnsMax, line != "#" {
        lines.append(line)
        line = "#"
      }
      line += " \(word)"
    }
    return lines + [line]
  }

  public func writeMembers(to json: inout JSONWriter) {
    SuggestionLine(address: address, reports: reportCount, warnings: warnings, toml: item.manifest)
      .writeMembers(to: &json)
  }
}
