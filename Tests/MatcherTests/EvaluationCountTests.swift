// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("The count of evaluations")
struct EvaluationCountTests {
  @Test("It runs over without losing or repeating a match")
  func wrapAround() {
    let descriptors: [[DiscoveryDescriptor]] = [
      [.company(Sample.company), .service(Sample.service)], [.company(Sample.company)],
    ]
    var matcher = CompiledMatcher(items: descriptors)
    let payload = AdvertisingPayload.testCompany([]).services(Sample.service).bytes
    // Both items remember the third evaluation. Nothing matches until the count, having run over, comes to three
    // again.
    for _ in 0..<3 { #expect(matcher.find(payload) == .items(0, 1)) }
    matcher.path.pipeline.matcher.evaluation = .max - 2
    while matcher.path.pipeline.matcher.evaluation != 2 { #expect(matcher.find([]) == .nothing) }
    for _ in 0..<3 { #expect(matcher.find(payload) == .items(0, 1)) }
  }
}
