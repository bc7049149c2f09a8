// SPDX-License-Identifier: GPL-3.0-or-later

package import ManifestFormat

extension KeywordSuggestion {
  /// Returns up to three of the known names that contain the text, or differ from it in few letters, the nearest first; of
  /// `app/item` each part is compared too.
  package static func nearNames(to found: String, among known: [String]) -> [String] {
    let wanted = Self.letters(found[...])
    guard !wanted.isEmpty else { return [] }
    let ranked = known.enumerated().compactMap { place, name -> (rank: Int, place: Int)? in
      let forms = [name[...]] + (found.contains("/") ? [] : name.split(separator: "/"))
      let distance = forms.map { Self.distance(wanted, Self.letters($0)) }.min() ?? 0
      if distance <= max(1, wanted.count / 3) { return (distance, place) }
      let letters = Self.letters(name[...])
      let isPart = wanted.count > 2 && letters.indices.contains { letters[$0...].starts(with: wanted) }
      return isPart ? (wanted.count, place) : nil
    }
    return ranked.sorted { $0 < $1 }.prefix(3).map { known[$0.place] }
  }

  private static func letters(_ name: Substring) -> [Unicode.Scalar] {
    Array(name.lowercased().unicodeScalars.prefix(80))
  }
}
