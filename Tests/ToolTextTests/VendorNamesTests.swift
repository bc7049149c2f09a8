// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Explanation
import HCI
import Interfaces
import Testing

@testable import ToolText

@Suite("Names of vendors")
struct VendorNamesTests {
  private static let table = """
    # This file is part of systemd.

    bluetooth:v0000*
     ID_VENDOR_FROM_DATABASE=Ericsson AB

    bluetooth:v004C*
     ID_VENDOR_FROM_DATABASE=Apple, Inc.

    bluetooth:v004Cp0201*
     ID_PRODUCT_FROM_DATABASE=A product

    bluetooth:vXYZW*
     ID_VENDOR_FROM_DATABASE=Unknown

    usb:v1234*
     ID_VENDOR_FROM_DATABASE=A maker of USB
    """

  @Test("Are read from udev's table, and nothing else in it")
  func reading() {
    let names = VendorNames(hwdb: Self.table.utf8)
    #expect(names.count == 2)
    #expect(names[0x0000] == "Ericsson AB" && names[0x004C] == "Apple, Inc." && names[0x1234] == nil)
    #expect(VendorNames(hwdb: [0xFF, 0x0A]).count == 0)
    for end in Self.table.utf8.indices { #expect(VendorNames(hwdb: Self.table.utf8[..<end]).count <= 2) }
  }

  @Test("Stand beside a device in a list, and beside the company in a report")
  func shown() {
    let style = TextStyle(isColored: false, vendors: { VendorNames(hwdb: Self.table.utf8)[$0] })
    let device = DeviceLine(
      address: DeviceAddress(bits: 1, type: .random), name: nil, rssi: -60, filteredRSSI: -60, reports: 1,
      firstSeen: Seconds(microseconds: 0), lastSeen: Seconds(microseconds: 0),
      silence: Seconds(microseconds: 0), intervalMilliseconds: nil, items: [],
      data: [5, 0xFF, 0x4C, 0x00, 0x02, 0x15])
    #expect(device.text(style).hasSuffix("  Apple, Inc.\n"))
    #expect(!device.text().contains("Apple"))
    var rows = TextRows(indent: 0, labelColumnCount: 14, style)
    AdvertisementFields(device.data.span.rawBytes).describe(in: &rows, style)
    #expect(rows.text == "manufacturer  0x004c (Apple, Inc.) 0215\n")
  }
}
