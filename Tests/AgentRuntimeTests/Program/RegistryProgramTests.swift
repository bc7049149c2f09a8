// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing

/// The agent and its registry's file, from start to end.
@Suite("The agent's registry")
struct RegistryProgramTests {
  /// A state folder that is no good. In sentences `@` stands for the registry's file.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var state = "state"
    let sentence: String
    var prepare: @Sendable (Folder) throws -> Void = { _ in }

    var testDescription: String { name }
  }

  private static let consequence = ", so no accessory can be added or removed until this is repaired: "
  private static let retry = "; the agent tries again every 30 s"
  private static let noFolder =
    "cannot be opened: there is no such folder" + consequence
    + "make the folder, or start accessoryd with another --state" + retry
  private static let reset =
    consequence
    + "run accessoryctl registry reset: it keeps the file under another name and creates a new one"

  private static let cases: [Case] = [
    Case(name: "the folder's folder is missing", state: "none/state", sentence: noFolder),
    Case(name: "a file is in the folder's way", sentence: noFolder) { _ = try $0.file("state", "precious") },
    Case(
      name: "another program's database",
      sentence: "is another program's database (application id 0xf)" + consequence
        + "move the file away if it is not needed, or let accessoryd keep its registry elsewhere"
    ) { folder in
      var header = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 84)
      header[71] = 0xF
      try write(header, in: folder)
    },
    Case(name: "a file that broke off", sentence: "is damaged: it ends after 9 bytes" + reset) {
      try write(Array("SQLite fo".utf8), in: $0)
    },
    Case(
      name: "something else", sentence: "is damaged: it does not begin with the header of a database" + reset
    ) {
      try write([UInt8](repeating: 7, count: 4096), in: $0)
    },
    Case(
      name: "a later version's",
      sentence: "was written by a later accessoryd (version 99; this one knows 6)" + consequence
        + "install the later accessoryd again, or run accessoryctl registry reset"
    ) { folder in
      let agent = try RunningAgent(folder)
      _ = try agent.expectLog("holds 0 accessories")
      try #require(agent.end() == 0)
      // The user version (sqlite.org, "Database File Format", 1.3).
      var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder("state/registry.sqlite"))))
      bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
      try write(bytes, in: folder)
    },
    Case(
      name: "others may read it",
      sentence: "is open to others (mode 644)" + consequence
        + "make it a file of accessoryd's user with mode 600" + retry
    ) { try write([], in: $0, mode: 0o644) },
    Case(
      name: "others may write the folder",
      sentence: "lies in a folder that others may write (mode 777)" + consequence
        + "make it a folder of accessoryd's user with mode 700, or name another with --state" + retry
    ) { try makeFolder($0("state"), mode: 0o777) },
    Case(
      name: "the folder is a link to nothing",
      sentence: "lies in a folder that is a symbolic link to nothing" + consequence
        + "make the folder that the link names, or name another with --state" + retry
    ) { try FileManager.default.createSymbolicLink(atPath: $0("state"), withDestinationPath: "none") },
    Case(
      name: "the file is a link",
      sentence: "is a symbolic link" + consequence
        + "put the file itself there, or name its folder with --state (a folder may be a link)" + retry
    ) { folder in
      try makeFolder(folder("state"), mode: 0o700)
      try FileManager.default.createSymbolicLink(
        atPath: folder("state/registry.sqlite"), withDestinationPath: "/dev/null")
    },
  ]

  private static func makeFolder(_ path: String, mode: Int) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    // The mask does not apply.
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private static func write(_ bytes: [UInt8], in folder: Folder, mode: Int = 0o600) throws {
    try FileManager.default.createDirectory(atPath: folder("state"), withIntermediateDirectories: true)
    _ = try folder.file("state/registry.sqlite", bytes, mode: mode)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func answers(_ agent: RunningAgent) throws -> Bool {
    let status = #"{"method":"io.accessoryd.Gateway.Status"}"#
    return try TestClient(agent.socket).call(status)?.contains(#""version":"#) == true
  }

  @Test("The folder is made for the agent alone, and the file closed with nothing beside it at SIGTERM")
  func life() throws {
    let agent = try RunningAgent(Folder())
    let file = agent.folder("state/registry.sqlite")
    _ = try agent.expectLog("info: the registry \"\(file)\" holds 0 accessories")
    #expect(try mode(agent.folder("state")) == 0o700)
    #expect(try mode(file) == 0o600)
    #expect(agent.end() == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: agent.folder("state")) == ["registry.sqlite"])
  }

  @Test("Killed without warning, it opens its registry again")
  func killed() throws {
    let folder = try Folder()
    for _ in 0..<3 {
      let agent = try RunningAgent(folder)
      _ = try agent.expectLog("holds 0 accessories")
      agent.program.send(SIGKILL)
      #expect(agent.program.wait() == -SIGKILL)
    }
    let agent = try RunningAgent(folder)
    _ = try agent.expectLog("holds 0 accessories")
    #expect(agent.end() == 0)
  }

  @Test("A state folder whose path has symbolic links is used, as units with DynamicUser= have it")
  func linkedFolder() throws {
    let folder = try Folder()
    try Self.makeFolder(folder("private"), mode: 0o755)
    try Self.makeFolder(folder("private/state"), mode: 0o700)
    try FileManager.default.createSymbolicLink(atPath: folder("lib"), withDestinationPath: "private")
    try FileManager.default.createSymbolicLink(atPath: folder("private/link"), withDestinationPath: "state")
    let agent = try RunningAgent(folder, state: "lib/link")
    _ = try agent.expectLog("holds 0 accessories")
    #expect(agent.end() == 0)
    #expect(FileManager.default.fileExists(atPath: folder("private/state/registry.sqlite")))
  }

  @Test(
    "On a read-only file system the registry is read, and the log names the cause",
    .enabled(if: canMount, "only root in a mount namespace of its own can mount"))
  func readOnlyFileSystem() throws {
    let folder = try Folder()
    let first = try RunningAgent(folder)
    _ = try first.expectLog("holds 0 accessories")
    #expect(first.end() == 0)
    let command = #"exec unshare -m sh -c '\#(Self.mountReadOnly); exec "$0" "$@"' "$0" "$@""#
    let agent = try RunningAgent(folder, shell: command)
    _ = try agent.expectLog(
      "holds 0 accessories, but cannot be changed: the registry's file or file system is read-only"
        + Self.consequence + "mount the file system for writing" + Self.retry)
    #expect(try answers(agent))
    #expect(agent.end() == 0)
  }

  private static let mountReadOnly = "mount --bind state state && mount -o remount,bind,ro state"

  private static let canMount: Bool = {
    let probe = Process()
    probe.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    probe.arguments = ["-m", "sh", "-c", "mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp"]
    guard (try? probe.run()) != nil else { return false }
    probe.waitUntilExit()
    return probe.terminationStatus == 0
  }()

  @Test("The service manager's folder is taken when none is named")
  func serviceManager() throws {
    let folder = try Folder()
    let program = try Program(
      "accessoryd", ["--manifest", folder("manifest.toml"), "--socket", folder("socket")], in: folder,
      environment: ["STATE_DIRECTORY": folder("given") + ":" + folder("other")])
    let manager = try ManagerSocket(path: folder("manager"))
    try manager.wait(for: "opening") { program.errors.contains("\(folder("given"))/registry.sqlite\" holds") }
    program.send(SIGTERM)
    #expect(program.wait() == 0)
  }

  @Test(
    "Without a registry it says once what is wrong and what helps, serves what it can, and leaves the file alone",
    arguments: cases)
  func degraded(_ broken: Case) throws {
    let folder = try Folder()
    try broken.prepare(folder)
    let file = folder(broken.state + "/registry.sqlite")
    let before = FileManager.default.contents(atPath: file)
    let agent = try RunningAgent(folder, state: broken.state)
    let line = "error: the registry \"\(file)\" \(broken.sentence)\n"
    let log = try agent.expectLog(line)
    try agent.expectRadio("on")
    #expect(try answers(agent))
    #expect(log.ranges(of: "error: ").count == 1)
    #expect(agent.end() == 0)
    #expect(FileManager.default.contents(atPath: file) == before)
  }

  @Test(
    "An account that may not use the folder gets an error with the cure",
    .enabled(if: getuid() == 0, "only root can give up what root may"))
  func permission() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      atPath: folder("private"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    // Holds: the call only reads the path.
    try #require(unsafe chown(folder("private"), 1, 1) == 0)
    let agent = try RunningAgent(folder, shell: Program.withoutCapabilities, state: "private/state")
    _ = try agent.expectLog("cannot be opened: accessoryd's account may not use the folder, so no accessory")
    #expect(try answers(agent))
    #expect(agent.end() == 0)
  }
}
