// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Testing
@testable import ToolText

@Suite("The table of accessories")
struct AccessoryTableTests {
  private func accessory(
    _ identifier: UInt64, _ name: String = "Desk lamp", app: String = "lights", item: String? = "bulb",
    state: AccessoryLine.State = .authorized, status: AccessoryStatus = .active,
    address: UInt64? = 0xC4A1_0000_1E27,
    bond: BondState = .none, isIdentityDurable: Bool = true, level: Int8? = nil
  ) -> AccessoryLine {
    AccessoryLine(
      identifier: Hex.digits(identifier, count: 16) + String(repeating: "0", count: 16), app: app, item: item,
      displayName: name,
      state: state, status: status, address: address.map { DeviceAddress(bits: $0, type: .random) },
      ssid: address == nil ? AirText(Array("attic".utf8)) : nil, bond: bond,
      isIdentityDurable: isIdentityDurable, isInSight: level != nil, filteredRSSI: level, addedAt: nil)
  }

  private var scene: [AccessoryLine] {
    [
      accessory(0x0123_4567_0000_0000, level: -44),
      accessory(0x89AB_CDEF_0000_0000, "Old \u{1B}[2J\u{202E}lamp", status: .orphaned, bond: .lost),
      accessory(
        0xFFFF_0000_0000_0000, "Camera", app: "cameras", item: nil, state: .awaitingAuthorization,
        status: .suspended, address: nil, isIdentityDurable: false),
    ]
  }

  @Test("Have a row each, and under it what is out of the ordinary")
  func wide() {
    #expect(
      AccessoryTable(scene).text() == #"""
        name                       app/item     state           status     signal        address            identifier
        Desk lamp                  lights/bulb  authorized      active     -44 dBm       C4:A1:00:00:1E:27  01234567
        Old \u{1B}[2J\u{202E}lamp  lights/bulb  authorized      orphaned   not in sight  C4:A1:00:00:1E:27  89abcdef
            orphaned: its item is not in the manifest
            its bond is lost: accessoryctl pair 89abcdef pairs it again
        Camera                     cameras      awaits its app  suspended  not in sight  -                  ffff0000
            suspended: its app has another account now; accessoryctl authorize cameras
            confirms
            its address changes: it may not be known again
            network "attic"

        """#)
  }

  @Test("An accessory that is connected says so, and how to disconnect it")
  func connected() {
    var lamp = accessory(0x0123_4567_0000_0000, level: -44)
    lamp.connection = .connected
    var other = accessory(0x89AB_CDEF_0000_0000, "Old lamp", level: -50)
    other.connection = .connecting
    #expect(
      AccessoryTable([lamp, other]).text() == #"""
        name       app/item     state       signal   address            identifier
        Desk lamp  lights/bulb  authorized  -44 dBm  C4:A1:00:00:1E:27  01234567
            connected to lights; accessoryctl disconnect ends that
        Old lamp   lights/bulb  authorized  -50 dBm  C4:A1:00:00:1E:27  89abcdef
            lights is being connected to it

        """#)
  }

  @Test("An accessory whose bond no longer meets the manifest says so, and what to do")
  func lacksAuthenticatedBond() {
    var lamp = accessory(0x0123_4567_0000_0000, bond: .bonded, level: -44)
    lamp.lacksAuthenticatedBond = true
    #expect(
      AccessoryTable([lamp]).text() == #"""
        name       app/item     state       signal   address            identifier
        Desk lamp  lights/bulb  authorized  -44 dBm  C4:A1:00:00:1E:27  01234567
            the manifest demands an authenticated bond, and it has none: accessoryctl
            remove 01234567, also from other apps that have it, and set it up again

        """#)
  }

  @Test("An accessory that is heard and not found does not count as out of sight")
  func heard() {
    var lamp = accessory(0x0123_4567_0000_0000)
    lamp.isHeard = true
    #expect(
      AccessoryTable([lamp]).text() == #"""
        name       app/item     state       signal            address            identifier
        Desk lamp  lights/bulb  authorized  heard, not found  C4:A1:00:00:1E:27  01234567
            it does not match its item, or is too far away: accessoryctl explain
            C4:A1:00:00:1E:27

        """#)
  }

  @Test("Fit into the terminal, and keep name and identifier", arguments: [1, 20, 30, 40, 60, 80, 100, 200])
  func narrow(columnsMax: Int) {
    let text = AccessoryTable(scene).text(TextStyle(isColored: false, columnsMax: columnsMax))
    let rows = text.split(separator: "\n")
    if columnsMax >= 30 {
      #expect(rows.allSatisfy { String($0).columnCount <= columnsMax }, "\(text)")
    }
    #expect(rows[0].hasPrefix("name") && rows[0].hasSuffix("identifier"))
    #expect(text.contains("01234567") && text.contains("Desk lamp"))
    #expect(columnsMax < 60 || text.contains("awaits its app"), "the state gives way last")
    #expect(columnsMax < 100 || text.contains(#"Old \u{1B}[2J\u{202E}lamp  "#), "the address gives way first")
    #expect(text.contains("C4:A1:00") == (columnsMax > 111))
    #expect(!text.utf8.contains(0x1B))
  }

  @Test("Have no column for the status when all are active")
  func status() {
    #expect(!AccessoryTable([scene[0]]).text().contains("status"))
  }

  @Test("Colour takes no columns")
  func colour() {
    let plain = AccessoryTable(scene).text()
    var colored = AccessoryTable(scene).text(.colored)
    for code in ["\u{1B}[0m", "\u{1B}[1m", "\u{1B}[2m", "\u{1B}[31m", "\u{1B}[32m"] {
      colored = colored.split(separator: code, omittingEmptySubsequences: false).joined()
    }
    #expect(colored == plain)
  }

  @Test("Have identifiers that are short and tell twins apart")
  func identifiers() {
    let twins = [
      accessory(0x0123_4567_89AB_0000), accessory(0x0123_4567_89AC_0000), accessory(0xF000_0000_0000_0000),
    ]
    #expect(twins.shortIdentifiers == ["0123456789ab", "0123456789ac", "f0000000"])
    #expect([AccessoryLine]().shortIdentifiers.isEmpty)
    #expect([twins[0], twins[0]].shortIdentifiers.allSatisfy { $0.count == 32 })
  }

  @Test("Are named by identifier, prefix, name or address")
  func names() throws {
    let lamp = accessory(0xCAFE_1234_0000_0000)
    let other = accessory(0x0000_1234_0000_0000, "cafe", app: "music", address: 0xC000_0000_0001)
    let all = [lamp, other]
    #expect(try all.accessory(named: lamp.identifier.uppercased()) == lamp)
    #expect(try all.accessory(named: "cafe1") == lamp)
    #expect(try all.accessory(named: "0000") == other)
    #expect(try all.accessory(named: "Desk lamp") == lamp)
    for address in ["c4:a1:00:00:1e:27", "C4-A1-00-00-1E-27", "c4a100001e27", "C4_A1_00_00_1E_27"] {
      #expect(try all.accessory(named: address) == lamp)
    }
    #expect(try all.accessory(named: "desk LAMP") == lamp)
    #expect(throws: AccessoryNameError.ambiguous(all)) { try all.accessory(named: "cafe") }
    for name in ["caf", "desk", "C4:A1:00:00:1E:28", "", "cafe12345", String(repeating: "0", count: 40)] {
      #expect(throws: AccessoryNameError.unknown) { try all.accessory(named: name) }
    }
  }

  @Test("Twins, and apps that share a device, are distinguished before anything is done")
  func twins() {
    let twins = [accessory(1 << 40), accessory(2 << 40, address: 0xC4A1_0000_1E28)]
    #expect(throws: AccessoryNameError.ambiguous(twins)) { try twins.accessory(named: "Desk lamp") }
    let shared = [accessory(1 << 40), accessory(2 << 40, "Lamp", app: "music")]
    #expect(throws: AccessoryNameError.ambiguous(shared)) {
      try shared.accessory(named: "C4:A1:00:00:1E:27")
    }
  }
}
