// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// migrate over a folder of bluetoothd, and suggest over an Info.plist.
@Suite("Coming from BlueZ and from iOS")
struct MigrateTests {
  private let folder: TemporaryFolder
  private let manifest: String

  init() throws {
    folder = try TemporaryFolder()
    manifest = try folder.file("manifest.toml", Array(Self.text.utf8))
    for (name, info) in [
      (
        "C4:A1:00:00:1E:27",
        "[General]\nName=Lumo \u{1B}bulb\nAddressType=static\nServices=0000fe0f-0000-1000-8000-00805f9b34fb;\n"
      ),
      ("00:11:22:33:44:66", "[General]\nAddressType=public\n[LongTermKey]\nKey=00\n"),
    ] {
      let path = folder.path + "/bluetooth/00:11:22:33:44:55/\(name)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try info.write(toFile: path + "/info", atomically: true, encoding: .utf8)
    }
  }

  private static let text = """
    schema = 1
    [app.lights]
    user = "daemon"
    supports = ["Bluetooth"]
    bluetooth-services = ["fe0f"]
    bluetooth-company-identifiers = ["0x0EEE"]
    [[app.lights.item]]
    name = "Bulb"
    descriptor.bluetooth-service-uuid = "fe0f"
    [[app.lights.item]]
    name = "Strip"
    descriptor.bluetooth-service-uuid = "fe0f"
    descriptor.bluetooth-company-identifier = "0x0EEE"
    [[app.lights.item]]
    name = "Seen"
    select = "observe"
    descriptor.bluetooth-service-uuid = "fe0f"

    """

  private func migrate(_ arguments: String...) throws -> Tool.Run {
    try Tool.run(
      ["migrate", "--bluetooth-folder", folder.path + "/bluetooth", "--manifest", manifest] + arguments)
  }

  @Test("Lists the known networks that items look for, from each store, and counts the others")
  func networks() throws {
    let manifest = try folder.file(
      "cameras.toml",
      """
      schema = 1
      [gateway]
      wifi = "wlan1"
      [app.cameras]
      user = "daemon"
      supports = ["WiFi", "Bluetooth"]
      bluetooth-company-identifiers = ["0x0EEE"]
      [[app.cameras.item]]
      id = "camera"
      name = "Camera"
      descriptor.ssid-prefix = "Cam-"
      [[app.cameras.item]]
      id = "hub"
      name = "Hub"
      descriptor.bluetooth-company-identifier = "0x0EEE"
      descriptor.ssid = "Cam-1"

      """)
    func write(_ text: String, _ path: String) throws {
      let file = URL(fileURLWithPath: folder.path + "/machine/" + path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let profile = "[wifi]\nssid=Cam-1\n[wifi-security]\npsk=do not print\n"
    try write(profile, "etc/NetworkManager/system-connections/one.nmconnection")
    try write(
      "network={\n ssid=\"Cam-1\"\n psk=\"do not print\"\n}\n", "etc/wpa_supplicant/wpa_supplicant.conf")
    try write("", "var/lib/iwd/=43616d2d1bff.psk")
    try write("", "var/lib/iwd/Home.psk")
    try write("[wifi\npsk=do not print\n", "etc/NetworkManager/system-connections/two.nmconnection")
    func run(_ more: String...) throws -> Tool.Run {
      try Tool.run(
        [
          "migrate", "--bluetooth-folder", folder.path + "/none", "--network-root", folder.path + "/machine",
          "--manifest", manifest,
        ] + more)
    }
    let text = try run()
    #expect(text.status == 0, "\(text.errorOutput)")
    #expect(
      text.text == #"""
        network "Cam-\u{1B}\xFF", known to iwd
          cameras/camera takes it
        network "Cam-1", known to NetworkManager and wpa_supplicant
          cameras/camera takes it
          cameras/hub takes it as the network of a device with Bluetooth

        """#)
    #expect(text.errorOutput.contains("no item looks for 1 other known network"))
    #expect(
      text.errorOutput.contains(
        "two.nmconnection is damaged: it has a network whose name cannot be read; check the file"))
    let json = try run("--json")
    try expectValid(json.output, "migrate")
    #expect(json.text.contains(#""ssidHex":"43616d2d1bff""#) && json.lines.count == 2)
    #expect(!(text.text + json.text + text.errorOutput).contains("do not print"))
    let missing = try migrate("--manifest", manifest, "--network-root", "/nonexistent")
    #expect(missing.status == 0)
    #expect(
      missing.errorOutput.contains(
        "/nonexistent cannot be read: No such file or directory; name another folder with --network-root"),
      "\(missing.errorOutput)")
    #expect(
      try migrate("--network-root", "/nonexistent").errorOutput.contains(
        "no item of the manifest looks for a network"))
  }

  @Test("Lists what BlueZ knows with its identifier, and the items that take it or may")
  func list() throws {
    let run = try migrate()
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(
      run.text == #"""
        00:11:22:33:44:66 public paired
          identifier 00000000-0000-0000-0000-001122334466
          lights/bulb may take it
          lights/strip may take it
        C4:A1:00:00:1E:27 random "Lumo \u{1B}bulb"
          identifier 00000000-0000-0000-0000-C4A100001E27
          lights/bulb takes it
          lights/strip may take it

        """#)
    let json = try migrate("--json")
    #expect(json.lines.count == 2)
    try expectValid(json.output, "migrate")
  }

  @Test("An app without items may take what it declares, and each device has its identifier")
  func declared() throws {
    let section = """
      schema = 1
      [app.dice]
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-services = ["fe0f"]
      bluetooth-names = ["Lumo"]

      """
    try Data(section.utf8).write(to: URL(fileURLWithPath: manifest))
    let run = try migrate()
    #expect(
      run.text == #"""
        00:11:22:33:44:66 public paired
          identifier 00000000-0000-0000-0000-001122334466
          no item takes it, and no app declares what it has
        C4:A1:00:00:1E:27 random "Lumo \u{1B}bulb"
          identifier 00000000-0000-0000-0000-C4A100001E27
          app dice may take it: it declares the service and the name

        """#)
    let json = try migrate("--json")
    try expectValid(json.output, "migrate")
    #expect(json.lines.last?.hasSuffix(#""apps":[{"app":"dice","declares":["service","name"]}]}"#) == true)
  }

  @Test("Neither of two devices with one address is offered to apps, and the cure is given")
  func ambiguous() throws {
    let path = folder.path + "/bluetooth/00:11:22:33:44:56/C4:A1:00:00:1E:27"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let info = "[General]\nAddressType=public\nServices=0000fe0f-0000-1000-8000-00805f9b34fb;\n"
    try info.write(toFile: path + "/info", atomically: true, encoding: .utf8)
    let run = try migrate()
    let refusal =
      "  it cannot be migrated: BlueZ knows a public and a random device with this address; remove the wrong one with "
      + "bluetoothctl remove\n"
    #expect(
      run.text.hasSuffix(
        "C4:A1:00:00:1E:27 public\n\(refusal)C4:A1:00:00:1E:27 random \"Lumo \\u{1B}bulb\"\n\(refusal)"))
    let json = try migrate("--json")
    try expectValid(json.output, "migrate")
    #expect(json.lines.count { $0.contains(#""bluetoothIdentifier":null,"items":[],"apps":[]"#) } == 2)
  }

  @Test("Without devices the answer is no, without the folder an error; both name the folder and a cure")
  func nothing() throws {
    let empty = folder.path + "/empty"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    let none = try Tool.run(["migrate", "--bluetooth-folder", empty, "--manifest", manifest])
    #expect(none.status == 1 && none.output.isEmpty)
    #expect(none.errorOutput.contains("/empty\" has no device with Bluetooth Low Energy; name a folder as"))
    let lost = try Tool.run(["migrate", "--bluetooth-folder", empty + "/none", "--manifest", manifest])
    #expect(lost.status == 66)
    #expect(
      lost.errorOutput.contains(
        "accessoryctl: \"\(empty)/none\" cannot be read: No such file or directory; name a copy of bluetoothd's"
      ))
  }

  // MARK: - Info.plist

  private static let list = """
    <?xml version="1.0"?><plist version="1.0"><dict>
    <key>NSAccessorySetupSupports</key><array><string>Bluetooth</string></array>
    <key>NSAccessorySetupBluetoothServices</key><array><string>FE0F</string></array>
    </dict></plist>
    """

  private func suggest(_ list: String, _ arguments: String...) throws -> Tool.Run {
    let path = try folder.file("Info.plist", list)
    return try Tool.run(["suggest", "--plist", path] + arguments)
  }

  @Test("--plist prints the section of an app, which check accepts; --add adds it to the manifest")
  func section() throws {
    let run = try suggest(Self.list, "--app", "daemon")
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.text.contains("[app.daemon]\n") && run.text.hasSuffix("bluetooth-services = [\"fe0f\"]\n"))
    let added = try suggest(Self.list, "--app", "daemon", "--manifest", manifest, "--add")
    #expect(added.status == 0, "\(added.errorOutput)")
    #expect(try String(contentsOfFile: manifest, encoding: .utf8) == Self.text + "\n" + run.text)
    #expect(try Tool.run("check", manifest).status == 0)
    let again = try suggest(Self.list, "--app", "daemon", "--manifest", manifest, "--add")
    #expect(again.status == 64 && again.errorOutput.contains("has the app"))
  }

  @Test("A list that declares nothing, is another format, or has wrong values is refused with a cure")
  func refusals() throws {
    func refused(_ list: String, _ status: Int32, _ sentence: String, _ arguments: String...) throws {
      let path = try folder.file("Info.plist", list)
      let run = try Tool.run(["suggest", "--plist", path] + arguments)
      #expect(run.status == status && run.errorOutput.contains(sentence), "\(run.errorOutput)")
      #expect(run.output.isEmpty)
    }
    try refused("<dict/>", 1, "declares nothing for AccessorySetupKit", "--app", "lamp")
    try refused("{ CFBundleName = Lamp; }", 65, "plutil -convert xml1", "--app", "lamp")
    try refused(
      Self.list.replacingOccurrences(of: "FE0F", with: "FE0"), 65,
      "NSAccessorySetupBluetoothServices[0] is no service UUID", "--app", "lamp")
    try refused(
      Self.list.replacingOccurrences(of: "<string>Bluetooth<", with: "<string>WiFiAware<")
        .replacingOccurrences(of: "<string>FE0F</string>", with: ""), 65,
      "declares neither Bluetooth nor WiFi; add one of them to NSAccessorySetupSupports", "--app", "lamp")
    try refused(Self.list, 65, "app.\"my lamp\"", "--app", "my lamp")
    try refused(Self.list, 65, "make no section of a manifest", "--app", "my lamp")
    try refused(Self.list, 64, "--plist needs --app")
    try refused(
      Self.list, 64, "--plist and a device exclude each other", "--app", "lamp", "AA:BB:CC:DD:EE:FF")
    let none = try Tool.run("suggest")
    #expect(none.status == 64 && none.errorOutput.contains("a device is missing"))
  }
}
