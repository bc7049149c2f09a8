// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials
import TestSupport

/// The files beside the tests.
enum Fixtures {
  static var folder: String { TestData.packageRoot + "/Tests/SceneFormatTests/Fixtures" }

  /// Whether to write the expected outputs instead of comparing them.
  static var isRecording: Bool { ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil }

  /// The names, without `ending`, of the files in a folder that have this ending, in order.
  static func names(in name: String, ending: String) -> [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + name)) ?? []
    return files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
  }

  static func bytes(of path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

  static func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }
}
