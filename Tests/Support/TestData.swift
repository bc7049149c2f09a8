// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials

/// The advertisements and captures of other projects. They lie beside the repository, not in it: where the
/// environment's `ACCESSORY_TESTDATA` says, or else in `../shared/testdata`.
public enum TestData {
  /// What a test that is skipped without them says.
  public static let absence = "no test data: set ACCESSORY_TESTDATA or put it into ../shared/testdata"

  public static let folder: String =
    ProcessInfo.processInfo.environment["ACCESSORY_TESTDATA"] ?? packageRoot + "/../shared/testdata"

  public static var isPresent: Bool { FileManager.default.fileExists(atPath: folder + "/README.md") }

  /// The folder that holds `Package.swift`.
  public static let packageRoot: String = #filePath.split(
    separator: "/", omittingEmptySubsequences: false
  ).dropLast(3).joined(separator: "/")

  /// The bytes of one of the repository's own files.
  public static func repositoryBytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: packageRoot + "/" + name)))
  }

  public static func path(_ name: String) -> String { folder + "/" + name }

  public static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path(name))))
  }

  /// The lines of a file of JSON objects, each decoded; keys in snake case become camel case.
  public static func records<Record: Decodable>(_ name: String, as type: Record.Type) throws -> [Record] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let lines = try bytes(name).split(separator: UInt8(ascii: "\n"))
    return try lines.map { try decoder.decode(type, from: Data($0)) }
  }
}
