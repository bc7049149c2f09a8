// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AgentRuntime
import Foundation
import LinuxSystem
import Registry
import Testing

@Suite("The folder of the apps' own sockets")
struct AppSocketFolderTests {
  private let place = NSTemporaryDirectory() + "app-sockets-\(UUID().uuidString.prefix(8))"

  private func withFolder(_ body: (AppSocketFolder) throws -> Void) throws {
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: place) }
    try body(AppSocketFolder(besideSocket: place + "/socket"))
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func sentence(_ folder: AppSocketFolder, _ app: String = "lights") -> String? {
    do throws(AppSocketError) {
      _ = try folder.listen(forApp: app, nil)
      return nil
    } catch {
      return error.sentence.replacing(place, with: "@")
    }
  }

  @Test(
    "Any account may enter it, none but its owner may list it, and without an account a socket is its owner's alone"
  )
  func modes() throws {
    try withFolder { folder in
      let listener = try folder.listen(forApp: "lights", nil)
      #expect(try mode(folder.path) == 0o711)
      #expect(try mode(folder.path(ofApp: "lights")) == 0o600)
      _ = try UnixConnection.open(path: folder.path(ofApp: "lights"))
      _ = consume listener
    }
  }

  @Test("An account's entry shows as the group's bits of the mode, and never as those of all accounts")
  func account() throws {
    try withFolder { folder in
      for account in [AccountID.user(1), .group(1)] {
        let listener = try folder.listen(forApp: "lights", account)
        #expect(try mode(folder.path(ofApp: "lights")) == 0o660)
        _ = consume listener
      }
    }
  }

  @Test("Sockets that a killed agent has left go, except those that are wanted; other files stay")
  func leftovers() throws {
    try withFolder { folder in
      for app in ["lights", "garden", ".lights"] {
        _ = try UnixListener(path: make(folder, app), mode: 0o600)
      }
      try Data().write(to: URL(fileURLWithPath: folder.path(ofApp: "note")))
      folder.removeLeftovers(exceptOf: ["lights"])
      #expect(try FolderContents.names(in: folder.path) == ["lights", "note"])
      let listener = try folder.listen(forApp: "lights", nil)
      _ = try UnixConnection.open(path: folder.path(ofApp: "lights"))
      _ = consume listener
    }
  }

  private func make(_ folder: AppSocketFolder, _ app: String) throws -> String {
    try DurableFile.makeFolder(folder.path)
    return folder.path(ofApp: app)
  }

  @Test("A file, a link or another kind of file in the way is left alone, and named")
  func obstacles() throws {
    try withFolder { folder in
      _ = try make(folder, "lights")
      try Data().write(to: URL(fileURLWithPath: folder.path(ofApp: "lights")))
      #expect(
        sentence(folder)
          == #"the app "lights" has no socket "@/app/lights": another kind of file has that name; remove it, and run "#
          + "accessoryctl reload")
      try FileManager.default.removeItem(atPath: folder.path)
      let foreign =
        #"the app "lights" has no socket "@/app/lights": its folder is no folder of the agent's account; remove what "#
        + "has that name, and run accessoryctl reload"
      try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: "/tmp")
      #expect(sentence(folder) == foreign)
      folder.removeLeftovers(exceptOf: [])
      try FileManager.default.removeItem(atPath: folder.path)
      try Data().write(to: URL(fileURLWithPath: folder.path))
      #expect(sentence(folder) == foreign)
    }
  }

  @Test("A path that is too long, and a folder that cannot be there, are said with the cure")
  func impossible() throws {
    do {
      let folder = AppSocketFolder(besideSocket: "/run/\(String(repeating: "f", count: 40))/socket")
      #expect(
        sentence(folder, String(repeating: "x", count: 64))?.hasSuffix(
          "a socket's path has at most 105 bytes; give the app a shorter name, or the agent a shorter path with --socket"
        )
          == true)
    }
    #expect(
      sentence(AppSocketFolder(besideSocket: "/sys/socket"))
        == #"the app "lights" has no socket "/sys/app/lights": the agent's account may not write the folder above its "#
        + "own; give it that folder, or another one with --socket")
    let cases: [(AppSocketError.Reason, String)] = [
      (
        .accessList(SystemError(.accessList, code: EOPNOTSUPP)),
        "its file system has no access control lists, which let the app's account in; put the socket on a tmpfs with "
          + "--socket"
      ),
      (
        .system(SystemError(.bind, code: ENOSPC)),
        "No space left on device (bind); correct that, and run accessoryctl reload"
      ),
      (
        .folder(SystemError(.mkdir, code: ENOSPC)),
        "the folder cannot be created: No space left on device (mkdir); run accessoryctl reload when it can"
      ),
    ]
    for (reason, end) in cases {
      #expect(
        AppSocketError("a", "/r/app/a", reason).sentence == #"the app "a" has no socket "/r/app/a": "# + end)
    }
  }
}
