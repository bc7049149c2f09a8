// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import ManifestFormat
import TestSupport
import Testing

@Suite(
  "Filters of other implementations", .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)))
struct MatchCasesTests {
  let cases: [MatchCase]

  init() throws {
    cases = try TestData.records("match-cases.jsonl", as: MatchCase.self)
  }

  /// A case as a manifest's text, or why not.
  private func text(of matchCase: MatchCase) -> Result<String, ManifestText.InexpressibleError> {
    do throws(ManifestText.InexpressibleError) {
      let manifest =
        switch matchCase.answer {
        case .rejected: try ManifestText(membersOf: matchCase.filter)
        case .matches, .differs: try ManifestText(matchCase.filter)
        }
      return .success(manifest.text)
    } catch {
      return .failure(error)
    }
  }

  @Test("Every filter that a manifest can express gives the same answer, however the advertisement is sent")
  func answers() throws {
    var matching = 0
    var differing = 0
    for matchCase in cases where matchCase.answer != .rejected {
      guard case .success(let text) = text(of: matchCase) else { continue }
      let reading = ManifestReader.read(text: Array(text.utf8), fileName: matchCase.id)
      let manifest = try #require(reading.manifest, "\(matchCase.id): \(reading.lines)")
      for sending in Sending.all(of: matchCase.advertisement) {
        var path = ManifestDataPath(manifest)
        let found = sending.found(by: &path) > 0
        #expect(found == (matchCase.answer == .matches), "\(matchCase.id), \(sending.form)")
      }
      if matchCase.answer == .matches { matching += 1 } else { differing += 1 }
    }
    #expect(matching == 14)
    #expect(differing == 15)
  }

  @Test("Every filter that is invalid there and can be written down here is refused for its fault")
  func refusals() {
    var count = 0
    for matchCase in cases where matchCase.answer == .rejected {
      guard case .success(let text) = text(of: matchCase) else { continue }
      let reading = ManifestReader.read(text: Array(text.utf8), fileName: matchCase.id)
      let errors = reading.diagnostics.filter { $0.severity == .error }
      #expect(!errors.isEmpty, "\(matchCase.id):\n\(text)")
      #expect(errors.allSatisfy { $0.keyPath.contains(".descriptor") }, "\(matchCase.id): \(reading.lines)")
      count += 1
    }
    #expect(count == 16)
  }

  /// How many cases have no counterpart, by reason. A longer list is a change of what descriptors can say.
  private static let inexpressibleCounts: [Inexpressible: Int] = [
    .wholeName: 9, .flags: 7, .emptyList: 4, .level: 2, .solicitation: 2, .severalCompanies: 2,
    .severalServices: 1, .pattern: 1, .negation: 1,
  ]

  @Test("Filters without a counterpart are these, each for its reason")
  func inexpressible() {
    var counts: [Inexpressible: Int] = [:]
    for matchCase in cases {
      guard case .failure(let error) = text(of: matchCase) else { continue }
      print("match-cases.jsonl: \(matchCase.id) is not expressible: \(error.reason.rawValue)")
      counts[error.reason, default: 0] += 1
    }
    #expect(counts == Self.inexpressibleCounts)
    #expect(cases.count == 74)
  }
}
