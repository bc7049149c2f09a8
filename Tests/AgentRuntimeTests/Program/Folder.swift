// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation

/// A folder with files for one test, gone with its owner.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "agent-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    _ = try file("room.toml", Self.room)
    _ = try file("manifest.toml", Self.manifest)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

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
  static let room = """
    schema = 1

    [[device]]
    name = "bulb"
    address = "C4:A1:00:00:1E:27"
    address-type = "static"
    interval = "50ms"
    payload = [{ flags = 0x6 }, { company = "0x0EEE", data = "a55a" }]
    dbm = -50

    [[device]]
    name = "stranger"
    address = "C4:A1:00:00:1E:28"
    address-type = "static"
    interval = "50ms"
    payload = [{ flags = 0x6 }, { company = "0x0EEF", data = "a55a" }]
    dbm = -50

    """

  static let manifest = """
    schema = 1

    [gateway]
    radio = "virtual:room.toml"

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
