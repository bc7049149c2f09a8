// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Testing

@Suite("Identifiers as users write them")
struct IdentifierTextTests {
  @Test(
    "A company identifier is read with the prefix or with four digits",
    arguments: [
      ("0x004C", 0x004C), ("004C", 0x004C), ("0X4c", 0x004C), ("0x0", 0), ("0000", 0), ("ffff", 0xFFFF),
    ] as [(String, UInt16)])
  func companyIdentifier(text: String, value: UInt16) {
    #expect(IdentifierText.companyIdentifier(text) == value)
  }

  @Test(
    "A text that could mean two numbers, or none, is no company identifier",
    arguments: [
      "", "76", "4C", "0x", "0x10000", "00004C", "004G", " 004C", "0x-04C", "００４Ｃ",
    ])
  func noCompanyIdentifier(text: String) {
    #expect(IdentifierText.companyIdentifier(text) == nil)
  }

  @Test(
    "A service UUID is read in every usual form",
    arguments: [
      "0000fe0f-0000-1000-8000-00805f9b34fb", "0000FE0F-0000-1000-8000-00805F9B34FB",
      "0000fe0f00001000800000805f9b34fb", "0xFE0F", "fe0f", "0000FE0F",
    ])
  func serviceUUID(text: String) {
    #expect(IdentifierText.serviceUUID(text) == BluetoothUUID(short: 0xFE0F))
  }

  @Test(
    "A text with the wrong length, digits or dashes is no service UUID",
    arguments: [
      "", "fe", "fe0fa", "fe-0f", "zzzz", "0000fe0f0000-1000-8000-0080-5f9b34fb",
      "0000fe0f-0000-1000-8000-00805f9b34f", "{0000fe0f-0000-1000-8000-00805f9b34fb}", "0x",
    ])
  func noServiceUUID(text: String) {
    #expect(IdentifierText.serviceUUID(text) == nil)
  }

  @Test(
    "A service UUID is written in its shortest form and read back",
    arguments: [
      "fe0f", "12345678", "6e400001-b5a3-f393-e0a9-e50e24dcca9e",
    ])
  func roundTrip(text: String) throws {
    let uuid = try #require(IdentifierText.serviceUUID(text))
    #expect(IdentifierText.text(of: uuid) == text)
  }
}
