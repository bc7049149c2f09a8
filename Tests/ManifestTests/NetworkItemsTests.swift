// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Testing

@Suite("Items by their network's name")
struct NetworkItemsTests {
  private static func item(
    _ id: String, ssid: String? = nil, prefix: String? = nil, company: UInt16? = nil
  ) -> ManifestItem {
    var item = DisplayItem(id: id, name: id)
    item.descriptor.ssid = ssid.map { Array($0.utf8) }
    item.descriptor.ssidPrefix = prefix.map { Array($0.utf8) }
    item.descriptor.companyIdentifier = company
    return ManifestItem(app: "cameras", item: item)
  }

  private static let items = [
    item("prefix", prefix: "Cam-"), item("whole", ssid: "Cam-1"), item("long", prefix: "Cam-1"),
    item("beside", ssid: "Cam-1", company: 0x0EEE), item("bulb", company: 0x0EEE),
  ]

  @Test(
    "A name matches the items of which it is the whole one, or begins with the prefix",
    arguments: [
      ("Cam-1", [0, 1, 2]), ("Cam-12", [0, 2]), ("Cam-2", [0]), ("Cam-", [0]), ("Cam", []), ("cam-1", []),
      ("", []),
    ] as [(String, [Int])])
  func matches(name: String, expected: [Int]) {
    #expect(NetworkItems(Self.items).matches(of: Array(name.utf8)).indices == expected)
  }

  @Test("Names are compared as bytes")
  func bytes() {
    var item = DisplayItem(id: "raw", name: "raw")
    item.descriptor.ssidPrefix = [0x00, 0xFF]
    let items = NetworkItems([ManifestItem(app: "cameras", item: item)])
    #expect(items.matches(of: [0x00, 0xFF, 0x00]).indices == [0])
    #expect(items.matches(of: [0x00, 0xFE]).indices.isEmpty)
  }

  @Test("Of more than eight items the first take effect, and the others are counted")
  func beyondCapacity() {
    let items = (0..<12).map { Self.item("item\($0)", prefix: $0 % 2 == 0 ? "C" : "Ca") }
    let (indices, omitted) = NetworkItems(items).matches(of: Array("Cam".utf8))
    #expect(indices == Array(0..<8) && omitted == 4)
  }

  @Test("Items that are found by Bluetooth look for no network")
  func empty() {
    #expect(NetworkItems([Self.items[3], Self.items[4]]).isEmpty)
    #expect(!NetworkItems(Self.items).isEmpty)
  }
}
