// SPDX-License-Identifier: GPL-3.0-or-later

import Setup
import Testing

@Suite("The compiled matcher against a naive one")
struct DifferentialTests {
  private static let setsPerSeed = 400
  private static let payloadsPerSet = 12

  /// What a seed's cases were like, so that a run without collisions does not pass unnoticed.
  private struct Coverage {
    var evaluations = 0
    var matching = 0
    var beyondCapacity = 0
    var inBothParts = 0
    var wrongSizes = 0
  }

  @Test(
    "Random descriptors and payloads give the same items and the same total",
    arguments: 1...10 as ClosedRange<UInt64>)
  func random(seed: UInt64) {
    var cases = RandomCases(seed: seed)
    var coverage = Coverage()
    for _ in 0..<Self.setsPerSeed { compare(&cases, &coverage, seed: seed) }
    #expect(coverage.evaluations == Self.setsPerSeed * Self.payloadsPerSet)
    #expect(coverage.matching * 4 > coverage.evaluations)
    #expect(coverage.beyondCapacity > 10)
    #expect(coverage.inBothParts > 10)
    #expect(coverage.wrongSizes > 10)
  }

  private func compare(_ cases: inout RandomCases, _ coverage: inout Coverage, seed: UInt64) {
    let items = cases.items()
    var compiled = CompiledMatcher(items: items)
    let naive = NaiveMatcher(items: items)
    for _ in 0..<Self.payloadsPerSet {
      let data = cases.payload(for: items)
      let response = cases.chance(50) ? cases.payload(for: items) : []
      let address = cases.address()
      let expected = naive.find(data, response: response, of: address)
      let found = compiled.find(data, response: response, of: address)
      #expect(found == expected, "seed \(seed)\n\(items)\n\(data)\n\(response)\n\(address)")
      let remarks = naive.remarks(data, response: response)
      #expect(compiled.remarks(data, response: response) == remarks, "seed \(seed)\n\(data)\n\(response)")
      coverage.evaluations += 1
      coverage.wrongSizes += remarks.wrongSize > 0 ? 1 : 0
      coverage.matching += expected.total > 0 ? 1 : 0
      coverage.beyondCapacity += expected.total > 8 ? 1 : 0
      coverage.inBothParts += expected.total > naive.find(data, of: address).total ? 1 : 0
    }
  }
}
