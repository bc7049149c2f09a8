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
}
