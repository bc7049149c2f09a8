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

  @Test("A command line with a second word, or a name that is none, is refused")
  func commandLine() throws {
    let long = String(repeating: "x", count: 64)
    for (arguments, reason) in [
      (["run", "key"], "there is one word too many: key"),
      (["--name", "run", "run", "--plaintext", "run"], "there is one word too many: run"),
      (["--name", ""], "a name is 1 to 63 bytes"),
      (["--name", long], "a name is 1 to 63 bytes"), (["--name", "a\u{1B}[2J"], "of printable characters"),
      (["--name", "a\nb"], "of printable characters"), (["serve"], "there is no command serve"),
    ] {
      let run = try Tool.spawn(BuiltPrograms.path("accessory-esphome"), arguments)
      #expect(run.status == 64 && run.errorOutput.contains(reason), "\(run.errorOutput)")
    }
    let folder = try TemporaryFolder()
    let name = "Küche " + String(repeating: "x", count: 56)
    #expect(try Self.run("key", "--name", name, "--state", folder.path).status == 66)
    #expect(try Self.run("--name", "key", "key", "--state", folder.path).status == 66)
  }

  /// Runs a command while its last argument, a port, is taken.
  private static let taken = """
    import socket, subprocess, sys
    taken = socket.create_server(("::", 0), family=socket.AF_INET6)
    sys.exit(subprocess.call([*sys.argv[1:], str(taken.getsockname()[1])]))
    """

  @Test("A port that another program has is named with its cure, which in the unit is a drop-in")
  func port() throws {
    let folder = try TemporaryFolder()
    let command = [BuiltPrograms.path("accessory-esphome"), "--plaintext", "--state", folder.path, "--port"]
    let run = try Tool.spawn("/usr/bin/python3", ["-c", Self.taken] + command)
    #expect(
      run.status == 73 && run.errorOutput.contains("stop the program that has it, or give another: --port N"))
    let unit = try Tool.spawn("/usr/bin/env", ["INVOCATION_ID=1", "python3", "-c", Self.taken] + command)
    #expect(
      unit.errorOutput.contains("with --port and SocketBindAllow=; see /usr/share/doc"), "\(unit.errorOutput)"
    )
  }
}
