// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import FilterSupport
import HCI
import Manifest
import ManifestFormat
import TestSupport
import Testing

/// What the kernel's filter passes of recorded advertising: everything that an item matches, and little else.
@Suite(
  "The filter and recorded advertising",
  .enabled(if: TestData.isPresent, Comment(rawValue: TestData.absence)))
struct RecordedFilterTests {
  private func machine(_ descriptors: [DiscoveryDescriptor]) throws -> FilterMachine {
    var contents = FilterProgram.Contents()
    contents.descriptors = descriptors
    let machine = FilterMachine(try #require(FilterProgram(contents)))
    #expect(machine.error == nil)
    return machine
  }

  @Test("Descriptors of recorded advertisements find them in what passes")
  func advertisements() throws {
    var (passed, dropped, missingPassed, missing) = (0, 0, 0, 0)
    for record in try TestData.records("advertisements.jsonl", as: RecordedFields.self) {
      let sendings = Sending.all(of: record)
      for derived in DerivedDescriptor.all(of: record) {
        var holding = try machine(derived.holding)
        let others = try machine(derived.missing)
        for sending in sendings {
          let left = sending.packets.filter { holding.passes($0) }
          passed += left.count
          dropped += sending.packets.count - left.count
          var whole = ManifestDataPath(GatewayManifest(derived.holding))
          var filtered = ManifestDataPath(GatewayManifest(derived.holding))
          let expected = sending.found(by: &whole)
          let found = Sending(form: sending.form, packets: left).found(by: &filtered)
          #expect(found == expected, "\(derived.label), \(sending.form)")
          guard sending.form == "legacy" else { continue }
          var machine = others
          missing += sending.packets.count
          missingPassed += sending.packets.count { machine.passes($0) }
        }
      }
    }
    #expect(passed > 3000 && missing > 1000)
    // Of descriptors with one bit flipped, a name may be anywhere, and rare forms of services pass.
    #expect(missingPassed * 5 < missing, "\(missingPassed) of \(missing)")
  }

  @Test(
    "A capture's reports pass as items match them, and the others are dropped",
    arguments: CaptureTests.captures)
  func captures(capture: CaptureTests.Capture) throws {
    let packets = try capture.reading().records.compactMap(\.packet)
    let all = distinctCompanyData(packets)
    // Every fifth kind of data is wanted.
    let wanted = all.enumerated().filter { $0.offset % 5 == 0 }.map(\.element)
    var machine = try machine(wanted)
    var path = ManifestDataPath(GatewayManifest(wanted))
    var (matching, passing, count) = (0, 0, 0)
    for packet in packets {
      let passes = machine.passes(packet)
      for report in EventReading(packet).reports {
        let (data, response): ([UInt8], [UInt8]) = (report.data, [])
        let found = path.pipeline.matcher.evaluate(
          data.rawSpan, response.rawSpan, of: report.header.address)
        count += 1
        passing += passes ? 1 : 0
        matching += found.items.total > 0 ? 1 : 0
        #expect(passes || found.items.total == 0, "\(report)")
      }
    }
    #expect(machine.failedLoads == 0)
    #expect(count == capture.reportCount && matching > 0)
    // Only what has more of a kind than the walk notes passes beside what matches.
    #expect(passing - matching <= count / 20, "\(passing) of \(count), \(matching) match")
  }

  @Test("The list of a home automation system fits whole, and drops most of a capture's reports")
  func listed() throws {
    let matchers = try ListedMatchersTests().manifest.items.map(\.item.descriptor)
    var contents = FilterProgram.Contents()
    contents.descriptors = matchers
    let program = try #require(FilterProgram(contents))
    #expect(program.detail == .wholeData && program.instructions.count < 2000)
    var machine = FilterMachine(program)
    let packets = try CaptureTests.captures[0].reading().records.compactMap(\.packet)
    let passing = packets.count { machine.passes($0) }
    #expect(passing * 5 < packets.count, "\(passing) of \(packets.count) pass")
  }

  /// An item for each company and the first four bytes of its data.
  private func distinctCompanyData(_ packets: [[UInt8]]) -> [DiscoveryDescriptor] {
    var known: Set<DiscoveryDescriptor> = []
    var descriptors: [DiscoveryDescriptor] = []
    for report in packets.flatMap({ EventReading($0).reports }) {
      for case .manufacturerData(let company, let data) in PayloadReading(report.data).values
      where data.count >= 4 {
        var descriptor = DiscoveryDescriptor()
        descriptor.companyIdentifier = company
        descriptor.manufacturerData = MaskedBytes(blob: Array(data.prefix(4)))
        if known.insert(descriptor).inserted { descriptors.append(descriptor) }
      }
    }
    return descriptors
  }
}
