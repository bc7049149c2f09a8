// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Testing

/// Files that lie beside the tests.
enum Fixtures {
  /// The package's top folder, three above this file.
  static var package: String {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/")
  }

  static var folder: String { package + "/Tests/ManifestFormatTests/Fixtures" }

  /// The example that is installed.
  static func example() throws -> [UInt8] { try bytes(of: package + "/Config/accessoryd.toml") }

  /// Whether expected outputs are to be written instead of compared.
  static var isRecording: Bool { unsafe getenv("RECORD_GOLDEN") != nil }

  static func write(_ text: String, to path: String) throws {
    let file = unsafe try #require(fopen(path, "w"), "cannot write \(path)")
    defer { unsafe fclose(file) }
    let bytes = Array(text.utf8)
    #expect(unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }

  /// The names, without their ending, of the files in a folder that have one, in order.
  static func names(in name: String, ending: String) -> [String] {
    guard let folder = unsafe opendir("\(folder)/\(name)") else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      // The name is terminated and lives until the next call.
      let file = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if file.hasSuffix(ending) { names.append(String(file.dropLast(ending.count))) }
    }
    return names.sorted()
  }

  static func bytes(of path: String) throws -> [UInt8] {
    let file = unsafe try #require(fopen(path, "r"), "no file \(path)")
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }
}
