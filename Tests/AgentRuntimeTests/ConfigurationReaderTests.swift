// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@testable import AgentRuntime

@Suite("Reading the agent's configuration files")
struct ConfigurationReaderTests {
  private static func warnings(radio: String, selection: String) throws -> [String] {
    let folder = try Folder()
    let item = "descriptor.bluetooth-range = \"immediate\"\nselect = \"\(selection)\"\n"
    _ = try folder.file("manifest.toml", Folder.manifest + item)
    return try ConfigurationReader(manifestPath: folder("manifest.toml"), radio: radio).read().warnings
  }

  @Test("Touch on a real adapter without calibration causes a warning, and nothing else does")
  func uncalibrated() throws {
    let warnings = try Self.warnings(radio: "hci0", selection: "touch")
    #expect(warnings.count == 1 && warnings[0].contains("accessoryctl calibrate"))
    #expect(try Self.warnings(radio: "hci0", selection: "operator").isEmpty)
    #expect(try Self.warnings(radio: "h4:controller", selection: "touch").isEmpty)
  }

  @Test("A manifest with on-touch is refused where the program would run under the agent's account")
  func touchAccount() throws {
    let folder = try Folder()
    let manifest = Folder.manifest.replacing("[gateway]", with: "[gateway]\non-touch = \"/bin/true\"")
    _ = try folder.file("manifest.toml", manifest)
    let program = try Program(
      "/bin/sh",
      [
        "-c",
        getuid() == 0 ? Program.withoutCapabilities : #"exec "$0" "$@""#, Program.path("accessoryd"),
        "--manifest", folder("manifest.toml"), "--socket", folder("s"),
      ], in: folder)
    #expect(program.wait() == 65)
    #expect(
      program.errors.contains(
        "manifest.toml: gateway.on-touch: the agent cannot run the program as the user \"nobody\"; copy touch.conf"
      ))
  }
}
