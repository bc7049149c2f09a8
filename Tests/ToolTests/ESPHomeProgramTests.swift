// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

@Suite("accessory-esphome, as a program")
struct ESPHomeProgramTests {
  private static func run(_ arguments: String...) throws -> Tool.Run {
    try Tool.spawn(BuiltPrograms.path("accessory-esphome"), arguments)
  }

  @Test("A file that is not a key says why, and what to do")
  func wrongKeys() throws {
    let zeros = String(repeating: "A", count: 43) + "="
    for (text, reason) in [
      (String(repeating: "Ab", count: 21) + "==", "it decodes to 31 bytes, where a key has 32"),
      (String(repeating: "Ab", count: 22), "it decodes to 33 bytes, where a key has 32"),
      (zeros, "it is 32 zero bytes"), ("key", "its 3 characters are not base64"),
      (String(repeating: "A", count: 1 << 20), "the file has more than 4096 bytes"),
    ] {
      let folder = try TemporaryFolder()
      _ = try folder.file("key", text + "\n")
      let run = try Self.run("key", "--state", folder.path)
      #expect(run.status == 65 && run.errorOutput.contains(reason), "\(run.errorOutput)")
      #expect(run.errorOutput.contains("Move it away and start the service again: it makes a new key"))
    }
  }

  @Test("A key that is a folder, and a folder that is not there, have a cure")
  func folders() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: "\(folder.path)/key", withIntermediateDirectories: false)
    let run = try Self.run("run", "--state", folder.path)
    #expect(run.status == 65 && run.errorOutput.contains("it is not a file of text. Move it away"))
    let missing = try Self.run("run", "--state", "\(folder.path)/none")
    #expect(missing.status == 73 && missing.errorOutput.contains("make its folder: install -d -m 700"))
    #expect(missing.errorOutput.contains("--state FOLDER"))
  }

  @Test("A key that other accounts may read is served with a warning")
  func exposedKey() throws {
    let folder = try TemporaryFolder()
    let key = try folder.file("key", String(repeating: "Ab", count: 21) + "A=")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
    // It ends there, because the folder of its socket is missing.
    let run = try Self.run(
      "run", "--state", folder.path, "--runtime", "\(folder.path)/none", "--port", "16099")
    #expect(run.status == 73 && run.errorOutput.contains("mode 644: chmod 600 \(key)"), "\(run.errorOutput)")
  }
}
