// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

extension SetupCommandTests {
  @Test(
    "Everything is checked before the account is created, and before the manifest changes",
    .enabled(if: geteuid() == 0, "only root may"))
  func order() throws {
    let agent = try ScenarioAgent()
    let before = try manifest(agent)
    func refused(_ status: Int32, _ sentence: String, _ arguments: String, manifest path: String? = nil)
      throws
    {
      let run = try runManaged(
        agent, ["systemctl": "exit 0", "useradd": "exit 0"], arguments + " < /dev/null", manifest: path)
      #expect(run.status == status && run.errorOutput.contains(sentence), "\(run.status) \(run.errorOutput)")
      #expect(!run.errorOutput.contains("This will:"))
      #expect(!calls(agent).contains { $0.hasPrefix("useradd") })
      #expect(try manifest(agent) == before)
    }
    let app = "--app porch --user no-such-user"
    let device = app + " --device \(Self.bulb)"
    try refused(64, "--device or --network is missing: without a terminal it has to be given", app)
    let path = agent.folder.path
    try refused(73, "see that its folder is there", device, manifest: path + "/none/m.toml")
    let inline = [
      "[app.lights]\nuser = \"daemon\"\nsupports = [\"Bluetooth\"]\nbluetooth-names = [\"L\"]\n"
        + "item = [{name = \"L\", descriptor.bluetooth-name-substring = \"L\"}]\n",
      "[app]\nlights = {user = \"daemon\", supports = [\"Bluetooth\"]}\n",
    ]
    for text in inline {
      let file = try agent.folder.file("inline.toml", "schema = 1\n\(text)")
      for accessory in ["--device \(Self.bulb)", "--network Cam-1"] {
        try refused(
          65, "has no table [app.lights] that [[app.lights.item]] can be added to",
          "--app lights --wifi lo \(accessory)", manifest: file)
      }
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "schema = 1\n\(text)")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path + "/manifest.toml")
    try refused(77, "Permission denied; run it as the owner of the file", device)
  }
}
