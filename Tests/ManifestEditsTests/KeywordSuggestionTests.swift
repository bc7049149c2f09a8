// SPDX-License-Identifier: GPL-3.0-or-later

import ManifestEdits
import ManifestFormat
import Testing

@Suite("Suggestions for mistyped words")
struct KeywordSuggestionTests {
  @Test(
    "A name is found by its letters, not by its bytes",
    arguments: [
      ("Kuche", ["Küche"]), ("küche", ["Küche"]), ("kitchn", ["Kitchen"]), ("lights/blub", ["lights/bulb"]),
      ("bul", ["lights/bulb"]), ("Garage", []),
    ])
  func names(word: String, expected: [String]) {
    let known = ["Küche", "Kitchen", "lights/bulb"]
    #expect(KeywordSuggestion.nearNames(to: word, among: known) == expected)
  }
}
