// SPDX-License-Identifier: GPL-3.0-or-later

/// The most likely correction of a mistyped word.
package enum KeywordSuggestion {
  /// Returns the nearest of the known words if it is near enough; the earliest of equally near ones.
  package static func nearest(to found: String, among known: [String]) -> String? {
    let wanted = plain(found)
    let ranked = known.map { (word: $0, distance: distance(wanted, plain(lastSegment($0)))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, wanted.count / 4) ? best.word : nil
  }

  /// Returns the word without case, separators and the prefixes of the property list's keys, truncated to 80 bytes.
  private static func plain(_ word: some StringProtocol) -> [UInt8] {
    var letters = word.lowercased().utf8.prefix(80).filter {
      $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_")
    }
    for prefix in ["nsaccessorysetupkit", "nsaccessorysetup"] where letters.starts(with: prefix.utf8) {
      letters.removeFirst(prefix.utf8.count)
    }
    return letters
  }

  private static func lastSegment(_ word: String) -> Substring {
    word.split(separator: ".").last ?? ""
  }

  /// The number of insertions, deletions and replacements between two words (Levenshtein).
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (leftIndex, leftByte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = leftIndex + 1
      for (rightIndex, rightByte) in right.enumerated() {
        let replaced = diagonal + (leftByte == rightByte ? 0 : 1)
        diagonal = row[rightIndex + 1]
        row[rightIndex + 1] = min(replaced, diagonal + 1, row[rightIndex] + 1)
      }
    }
    return row[right.count]
  }
}
