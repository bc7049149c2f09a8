// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// migrate over a folder of bluetoothd.
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

  @Test("Lists what BlueZ knows, and the items that take it or may")
  func list() throws {
    let run = try migrate()
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(
      run.text == #"""
        00:11:22:33:44:66 public paired
          lights/bulb may take it as 00000000-0000-0000-0000-001122334466
          lights/strip may take it as 00000000-0000-0000-0000-001122334466
        C4:A1:00:00:1E:27 random "Lumo \u{1B}bulb"
          lights/bulb takes it as 00000000-0000-0000-0000-C4A100001E27
          lights/strip may take it as 00000000-0000-0000-0000-C4A100001E27

        """#)
    let json = try migrate("--json")
    #expect(json.lines.count == 2)
    try expectValid(json.output, "migrate")
  }

  @Test("Without devices the answer is no, and without the folder an error with a cure")
  func nothing() throws {
    let empty = folder.path + "/empty"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    let none = try Tool.run(["migrate", "--bluetooth-folder", empty, "--manifest", manifest])
    #expect(none.status == 1 && none.output.isEmpty)
    let lost = try Tool.run(["migrate", "--bluetooth-folder", empty + "/none", "--manifest", manifest])
    #expect(lost.status == 66 && lost.errorOutput.contains("No such file or directory; start bluetoothd"))
  }
}
