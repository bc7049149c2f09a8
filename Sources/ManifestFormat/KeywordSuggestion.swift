// SPDX-License-Identifier: GPL-3.0-or-later

/// The most likely correction of a mistyped word.
package enum KeywordSuggestion {
  /// Returns the nearest of the known words if it is near enough; the earliest of equally near ones.
  package static func nearest(to found: String, among known: [String]) -> String? {
    let wanted = plain(found)
    let most = max(1, wanted.count / 4)
    let ranked = known.compactMap { word -> (word: String, distance: Int)? in
      let letters = plain(lastSegment(word))
      // Words differ in at least as many letters as their lengths do.
      guard abs(letters.count - wanted.count) <= most else { return nil }
      return (word, distance(wanted, letters))
    }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= most ? best.word : nil
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

  /// The number of insertions, deletions, replacements, and exchanges of neighbours between two words (optimal string
  /// alignment).
  package static func distance<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int {
    var before: [Int] = []
    var last = Array(0...right.count)
    for (leftIndex, leftLetter) in left.enumerated() {
      var row = [leftIndex + 1]
      for (rightIndex, rightLetter) in right.enumerated() {
        let replaced = last[rightIndex] + (leftLetter == rightLetter ? 0 : 1)
        row.append(min(replaced, last[rightIndex + 1] + 1, row[rightIndex] + 1))
        if leftIndex > 0, rightIndex > 0, leftLetter == right[rightIndex - 1],
          rightLetter == left[leftIndex - 1]
        {
          row[rightIndex + 1] = min(row[rightIndex + 1], before[rightIndex - 1] + 1)
        }
      }
      (before, last) = (last, row)
    }
    return last[right.count]
  }
}
