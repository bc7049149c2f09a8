// SPDX-License-Identifier: Apache-2.0

import InterfaceDefinition
import Foundation
import Testing
import Varlink

/// Interface definitions that the tests share.
enum Descriptions {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  /// The file with everything that the language has.
  static let everythingText = bytes("org.example.everything.varlink")

  static func bytes(_ name: String) -> [UInt8] {
    (try? Data(contentsOf: folder.appendingPathComponent(name))).map(Array.init) ?? []
  }

  static func everything() throws -> InterfaceDescription { try InterfaceParser.parse(everythingText) }

  static func parse(_ text: String) throws(InterfaceError) -> InterfaceDescription {
    try InterfaceParser.parse(Array(text.utf8))
  }
}
