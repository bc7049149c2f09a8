// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Synchronization
import TestSupport
import Testing

/// A folder with files for one test, gone with its owner.
final class Folder: Sendable {
  let path: String
  /// The program that serves the scene at the socket `h4`.
  private let controller = Mutex<Process?>(nil)

  init() throws {
    path = NSTemporaryDirectory() + "agent-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    _ = try file("scene.toml", Self.scene)
    _ = try file("manifest.toml", Self.manifest)
  }

  deinit {
    controller.withLock { process in
      process?.terminate()
      process?.waitUntilExit()
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Starts `virtual-controller` with the folder's scene, unless it runs already.
  func serveScene() throws {
    let isServed = controller.withLock { $0 != nil }
    guard !isServed else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Program.path("virtual-controller"))
    process.arguments = [self("scene.toml"), "--socket", self("h4")]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    controller.withLock { $0 = process }
    let isThere = happens(within: 30) {
      FileManager.default.fileExists(atPath: self("h4")) || !process.isRunning
    }
    try #require(isThere && process.isRunning, "the scene is not served")
  }

  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Writes a file and answers its path.
  func file(_ name: String, _ text: String, mode: Int = 0o644) throws -> String {
    try file(name, Array(text.utf8), mode: mode)
  }

  func file(_ name: String, _ bytes: [UInt8], mode: Int = 0o644) throws -> String {
    let file = self(name)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: self(name), encoding: .utf8) }

  /// Two devices that are heard well, one of them wanted.
  static let scene = """
    schema = 1

    [[device]]
    name = "bulb"
    address = "C4:A1:00:00:1E:27"
    address-type = "static"
    interval = "50ms"
    payload = [{ flags = 0x6 }, { company = "0x0EEE", data = "a55a" }]
    dbm = -50

    [[device]]
    name = "other"
    address = "C4:A1:00:00:1E:28"
    address-type = "static"
    interval = "50ms"
    payload = [{ flags = 0x6 }, { company = "0x0EEF", data = "a55a" }]
    dbm = -50

    """

  static let manifest = """
    schema = 1

    [gateway]
    radio = "h4:h4"

    [app.lights]
    user = "daemon"
    supports = ["Bluetooth"]
    bluetooth-company-identifiers = ["0x0EEE"]

    [[app.lights.item]]
    name = "Bulb"
    descriptor.bluetooth-company-identifier = "0x0EEE"
    descriptor.bluetooth-manufacturer-data-blob = "a55a"

    """
}
