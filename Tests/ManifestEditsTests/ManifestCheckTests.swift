// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import ManifestEdits
import ManifestFormat
import Testing

@Suite("The check of a manifest")
struct ManifestCheckTests {
  private static let good = Array("schema = 1\n".utf8)
  private static let bad = Array("schema = 1\n\n[gateway]\nscan = \"always\"\n".utf8)
  private static let doubtful = Array("schema = 1\n[app.a]\nuser = \"ghost\"\nsupports = [\"WiFi\"]\n".utf8)

  private static func check(_ text: [UInt8], mode: UInt32 = 0o100644) -> ManifestCheck {
    let ghosts = AccountDirectory { _ in .unknown }
    return ManifestCheck(
      .text(text, FileFacts(mode: mode, owner: 1000)), fileName: "m.toml", accounts: ghosts)
  }

  @Test("A good manifest gives no line and status 0")
  func accepted() {
    let check = Self.check(Self.good)
    #expect(check.lines == [])
    #expect(check.status.rawValue == 0)
  }

  @Test("Warnings alone leave the status at 0")
  func warned() {
    let check = Self.check(Self.doubtful)
    #expect(
      check.lines == [
        "m.toml:3: app.a.user: warning: this system has no user \"ghost\", so no account can act as the app; "
          + "create it or correct the name"
      ])
    #expect(check.status.rawValue == 0)
  }

  @Test("A board that listens part of the time misses what is sent only on an event, and the check says so")
  func missedEvents() {
    func warnings(_ descriptor: String, _ low: ScanDuty) -> [String] {
      let text = """
        schema = 1
        [gateway]
        board = "mine"
        [app.a]
        user = "a"
        supports = ["Bluetooth"]
        bluetooth-services = ["FCD2"]
        [[app.a.item]]
        name = "Button"
        descriptor.bluetooth-service-uuid = "FCD2"
        \(descriptor)
        """
      let check = ManifestCheck(
        .text(Array(text.utf8), FileFacts(mode: 0o100644, owner: 1000)), fileName: "m.toml",
        accounts: .silent,
        board: { name in
          var board = BoardProfile(name: name)
          board.low = low
          return name == "mine" ? board : nil
        })
      #expect(check.status == .accepted)
      return check.lines.filter { $0.contains("pressed") }
    }
    let (tenth, whole) = (
      ScanDuty(windowMilliseconds: 30, intervalMilliseconds: 300),
      ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 60)
    )
    let bthome = "descriptor.bluetooth-service-data-blob = \"44\"\ndescriptor.bluetooth-service-data-mask = "
    let buttons = ["gate.lost-ms = 3600000\ngate.lost-max-ms = 86400000", bthome + "\"e4\""]
    for button in buttons {
      let sentence =
        "sends only when pressed; this board listens 10 % of the time while no request is open, and "
      #expect(warnings(button, tenth).count == 1)
      #expect(warnings(button, tenth).first?.contains("app.a.item[0]: warning: \(sentence)") == true)
      #expect(warnings(button, whole) == [])
    }
    for other in ["", "gate.lost-ms = 600000\ngate.lost-max-ms = 600000", bthome + "\"e0\""] {
      #expect(warnings(other, tenth) == [])
    }
  }

  @Test("An error gives its line and status 1")
  func refused() {
    let check = Self.check(Self.bad)
    #expect(
      check.lines == [
        "m.toml:4: gateway.scan: \"always\" is not known; use \"auto\", \"passive\" or \"active\""
      ])
    #expect(check.status.rawValue == 1)
  }

  @Test(
    "A file that others may write gives status 77 and still every diagnostic",
    arguments: [0o664, 0o646] as [UInt32])
  func unprotected(permissions: UInt32) {
    let check = Self.check(Self.bad, mode: 0o100000 | permissions)
    #expect(check.lines.first?.hasPrefix("m.toml: others may write the file (mode 0") == true)
    #expect(check.lines.count == 2)
    #expect(check.status.rawValue == 77)
  }

  @Test("A file that cannot be read gives the reason and status 66")
  func unreadable() {
    let check = ManifestCheck(
      .unreadable(reason: "No such file or directory"), fileName: "m.toml", accounts: .silent)
    #expect(check.lines == ["m.toml: this cannot be read: No such file or directory"])
    #expect(check.status.rawValue == 66)
  }

  @Test("The system knows root and its group, and no invented name")
  func systemAccounts() {
    #expect(AccountDirectory.system.lookUp(.user("root")) == .known(id: 0))
    #expect(AccountDirectory.system.lookUp(.group("root")) == .known(id: 0))
    #expect(AccountDirectory.system.lookUp(.user("no-such-user-here")) == .unknown)
    #expect(AccountDirectory.system.lookUp(.group("no-such-group-here")) == .unknown)
  }
}
