// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import HCI
@testable import PropertyList
import Testing

@Suite("The section of an app from its Info.plist")
struct AppDeclarationsTests {
  private static let xml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <!-- not for us --><key>CFBundleName</key><string>Lamp &amp; Co</string>
      <key>UIRequiresFullScreen</key><true/>
      <key>NSAccessorySetupKitSupports</key><array><string>Bluetooth</string></array>
      <key>NSAccessorySetupSupports</key>
      <array><string>Bluetooth</string><string>WiFi</string></array>
      <key>NSAccessorySetupBluetoothServices</key>
      <array>
        <string>0000FE0F-0000-1000-8000-00805F9B34FB</string><string>149E7026-AD3F-4191-BF5E-9CBC2FFD4A3C</string>
        <string>FE0F</string>
      </array>
      <key>NSAccessorySetupBluetoothNames</key>
      <array><string>Lumo &quot;K&#xFC;che&#34;</string><string><![CDATA[a<b]]></string></array>
      <key>NSAccessorySetupBluetoothCompanyIdentifiers</key>
      <array><string>0x0EEE</string><integer>76</integer><string>224</string></array>
      <key>Version</key><real>1.5</real>
    </dict>
    </plist>
    """

  private static let section = #"""
    # From the app's Info.plist. Its items come with its calls of ShowPicker.
    [app.lamp]
    # The account that the app runs as.
    user = "lamp"
    supports = ["Bluetooth", "WiFi"]
    bluetooth-company-identifiers = ["0x004C", "0x00E0", "0x0EEE"]
    bluetooth-services = ["149e7026-ad3f-4191-bf5e-9cbc2ffd4a3c", "fe0f"]
    bluetooth-names = ["Lumo \"Küche\"", "a<b"]

    """#

  private func section(_ bytes: [UInt8]) throws -> String {
    try AppDeclarations(try PropertyList.read(bytes)).section(named: "lamp")
  }

  /// The same list as Foundation writes it.
  private func binary() throws -> [UInt8] {
    // Holds: the format is not asked for.
    let list = try unsafe PropertyListSerialization.propertyList(from: Data(Self.xml.utf8), format: nil)
    return Array(try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
  }

  @Test("An XML list becomes the app's section, whichever of the two spellings it has")
  func xmlList() throws {
    #expect(try section(Array(Self.xml.utf8)) == Self.section)
    #expect(try section([0xEF, 0xBB, 0xBF] + Array(Self.xml.utf8)) == Self.section)
  }

  @Test("A binary list of another program becomes the same section")
  func binaryList() throws {
    let bytes = try binary()
    #expect(bytes.starts(with: Array("bplist00".utf8)))
    #expect(try section(bytes) == Self.section)
  }

  @Test("An app that lists only services uses Bluetooth; other technologies are left out with a warning")
  func supports() throws {
    let services =
      #"<dict><key>NSAccessorySetupBluetoothServices</key><array><string>FE0F</string></array></dict>"#
    #expect(try AppDeclarations(try .read(Array(services.utf8))).supports == ["Bluetooth"])
    let aware = #"<dict><key>NSAccessorySetupSupports</key><array><string>Thread</string></array></dict>"#
    let declarations = try AppDeclarations(try .read(Array(aware.utf8)))
    #expect(declarations.supports.isEmpty)
    #expect(
      declarations.warnings == [#"NSAccessorySetupSupports[0] is "Thread", which no gateway has; left out"#])
  }

  @Test("Everything that is wrong with the values is reported at once, with key and index")
  func mistakes() throws {
    let text = """
      <dict><key>NSAccessorySetupSupports</key><array><true/></array>
      <key>NSAccessorySetupBluetoothServices</key><array><string>FE0</string><true/></array>
      <key>NSAccessorySetupBluetoothNames</key><string>Lumo</string>
      <key>NSAccessorySetupBluetoothCompanyIdentifiers</key><array><integer>65536</integer></array></dict>
      """
    let service = "is no service UUID: write 4, 8 or 32 hexadecimal digits"
    #expect(
      throws: AppDeclarationsError.mistakes([
        "NSAccessorySetupSupports[0] is no text: write Bluetooth or WiFi",
        "NSAccessorySetupBluetoothServices[0] \(service)", "NSAccessorySetupBluetoothServices[1] \(service)",
        "NSAccessorySetupBluetoothNames is no array: put its values into one",
        "NSAccessorySetupBluetoothCompanyIdentifiers[0] is no company identifier: write a number up to 65535, "
          + "or 0x and 4 digits",
      ])
    ) { try section(Array(text.utf8)) }
  }

  @Test("A list without the keys, or that is none, is refused")
  func nothing() throws {
    #expect(throws: AppDeclarationsError.noDictionary) { try section(Array("<array/>".utf8)) }
    let error = try #require(throws: AppDeclarationsError.self) { try section(Array("<dict/>".utf8)) }
    guard case .nothingDeclared(let keys) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(keys.count == 5)
  }
}

@Suite("Property lists")
struct PropertyListTests {
  @Test(
    "Another format is refused with the program that converts it",
    arguments: ["{ CFBundleName = Lamp; }", #"{"CFBundleName":"Lamp"}"#, "", "\u{FF}\u{FE}<"])
  func otherFormats(text: String) {
    #expect(throws: PropertyListError.otherFormat) { try PropertyList.read(Array(text.utf8)) }
    #expect(PropertyListError.otherFormat.cure.contains("plutil -convert xml1"))
  }

  @Test("Every prefix and every flipped bit of both formats is read or refused")
  func torn() throws {
    let xml = Array(
      "<plist><dict><key>a</key><array><string>b&lt;</string><integer>0x4C</integer></array></dict></plist>"
        .utf8)
    // Holds: the format is not asked for.
    let list = try unsafe PropertyListSerialization.propertyList(from: Data(xml), format: nil)
    let binary = Array(
      try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
    #expect(try PropertyList.read(binary) == PropertyList.read(xml))
    for bytes in [xml, binary] {
      for count in 0..<bytes.count {
        #expect(throws: PropertyListError.self) { try PropertyList.read(Array(bytes[..<count])) }
      }
      for bit in 0..<8 * bytes.count {
        var flipped = bytes
        flipped[bit / 8] ^= 1 << (bit % 8)
        _ = try? PropertyList.read(flipped)
      }
    }
  }

  @Test("A list that contains itself, or is nested too deeply, is refused")
  func bounds() {
    // An array with a reference to itself at offset 8; one byte an offset, one byte a reference, one object.
    let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + number(1) + number(0) + number(10)
    #expect(throws: PropertyListError.tooLarge) {
      try PropertyList.read(Array("bplist00".utf8) + [0xA1, 0x00, 0x08] + trailer)
    }
    let deep = String(repeating: "<array>", count: 100)
    #expect(throws: PropertyListError.tooLarge) { try PropertyList.read(Array(deep.utf8)) }
  }

  @Test("A list of 6 kB whose thousand values are one text of 5 kB is refused, and one of few is read")
  func repeatedText() throws {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 5000)
    func list(of count: Int) -> [UInt8] {
      let array = [0xAF, 0x11] + short(count) + [UInt8](repeating: 1, count: count)
      let head = Array("bplist00".utf8) + array
      let objects = head + [0x5F, 0x11] + short(text.count) + text
      let offsets = short(8) + short(head.count)
      let table = [0, 0, 0, 0, 0, 0] + short(objects.count)
      return objects + offsets + [0, 0, 0, 0, 0, 0, 2, 1] + number(2) + number(0) + table
    }
    #expect(throws: PropertyListError.tooLarge) { try PropertyList.read(list(of: 1000)) }
    guard case .array(let values) = try PropertyList.read(list(of: 10)) else { return }
    #expect(values == [PropertyList](repeating: .string(String(decoding: text, as: UTF8.self)), count: 10))
  }

  private func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  private func number(_ value: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, value] }
}
