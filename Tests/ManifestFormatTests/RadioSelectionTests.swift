// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import ManifestFormat
import Testing

@Suite("Naming a radio")
struct RadioSelectionTests {
  @Test(
    "Every form of a radio's name is understood",
    arguments: [
      ("any", RadioSelection.any), ("hci3", .index(3)), ("DC:A6:32:00:00:01", .address(0xDCA6_3200_0001)),
      ("btsnoop:a b", .btsnoop("a b")),
      ("h4:/run/controller", .h4("/run/controller")),
    ])
  func forms(text: String, selection: RadioSelection) {
    #expect(RadioSelection(text: text) == selection)
    #expect(selection.text == text)
  }

  @Test("What names nothing is refused", arguments: ["", "hci", "hci01", "h4:", "virtual:", "radio"])
  func nonsense(text: String) {
    #expect(RadioSelection(text: text) == nil)
  }
}
