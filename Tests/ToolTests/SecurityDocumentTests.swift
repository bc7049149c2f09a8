// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

@Suite("What .github/SECURITY.md promises")
struct SecurityDocumentTests {
  /// The rows of the tables, each with the actor that its section is about.
  private static let cells: [(actor: String, asset: String, tests: [Substring])] = {
    let text = (try? String(contentsOfFile: Package.path(".github/SECURITY.md"), encoding: .utf8)) ?? ""
    var actor = ""
    var cells: [(String, String, [Substring])] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("### ") { actor = String(line.dropFirst(4)) }
      let columns = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard columns.count == 3, !["asset", "---"].contains(columns[0]) else { continue }
      cells.append((actor, columns[0], columns[2].split(separator: "<br>")))
    }
    return cells
  }()

  @Test("Every actor has a cell for each asset, and each cell tests that are there by their names")
  func cells() throws {
    let assets = ["keys", "others' accessories", "who is near", "places", "the manifest"]
    let byActor = Dictionary(grouping: Self.cells, by: \.actor)
    #expect(byActor.count >= 9)
    for (actor, cells) in byActor { #expect(cells.map(\.asset) == assets, "\(actor)") }
    let files =
      FileManager.default.enumerator(atPath: Package.path("Tests"))?.compactMap { $0 as? String } ?? []
    for cell in Self.cells {
      #expect(!cell.tests.isEmpty)
      for test in cell.tests {
        let match = try #require(test.wholeMatch(of: /`(\w+)` "([^"]+)"/), "\(test)")
        let texts = try files.filter { $0.hasSuffix("/\(match.1).swift") }.map {
          try String(contentsOfFile: Package.path("Tests/\($0)"), encoding: .utf8)
        }
        // A name follows its mark at once, or on a line of its own.
        let isThere = texts.contains { text in
          text.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing(
            "@Test( ", with: "@Test("
          )
          .contains("@Test(\"\(match.2)\"") || text.contains("@Test func \(match.2)(")
        }
        #expect(isThere, "\(test)")
      }
    }
  }
}
