// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import HCI
import Interfaces
import Manifest
import Testing
@testable import Explanation
import VirtualRadio

/// The slow explainer and the compiled matcher are two readings of one rule book.
@Suite struct ClauseQuestionTests {
  @Test(arguments: 1...40)
  func theExplainerAgreesWithTheMatcher(seed: UInt64) {
    var dice = Dice(seed: seed)
    let descriptors = (0..<24).map { _ in dice.descriptor() }
    var path = ManifestDataPath(Self.manifest(descriptors))
    var matchCount = 0
    for _ in 0..<100 {
      let (data, response) = (dice.payload(), dice.payload())
      let address = dice.address()
      let found =
        path.pipeline.matcher.evaluate(data.span.rawBytes, response.span.rawBytes, of: address).items
      let structures =
        ObservedStructure.all(in: data.span.rawBytes, .data)
        + ObservedStructure.all(in: response.span.rawBytes, .response)
      let expected = descriptors.count { descriptor in
        ClauseQuestion.answers(descriptor, structures, of: address).allSatisfy(\.holds)
      }
      #expect(found.total == expected, "\(data) \(response)")
      for place in 0..<found.count {
        let answers = ClauseQuestion.answers(descriptors[Int(found[place])], structures, of: address)
        #expect(answers.allSatisfy { $0.holds }, "\(data) \(response) \(answers)")
      }
      matchCount += found.total
    }
    #expect(matchCount > 0, "the dice never hit")
  }

  private static func manifest(_ descriptors: [DiscoveryDescriptor]) -> GatewayManifest {
    var app = App(name: "app", account: .user("daemon"))
    app.items = descriptors.enumerated().map { index, descriptor in
      var item = DisplayItem(id: "item\(index)", name: "Item \(index)")
      item.descriptor = descriptor
      return item
    }
    var manifest = GatewayManifest()
    manifest.apps = [app]
    return manifest
  }

  @Test func aMaskedComparisonSaysWhereTheFirstDifferenceIs() throws {
    let clause = try #require(MaskedBytes(blob: [0xA5, 0x5A, 0x10], mask: [0xFF, 0x0F, 0xF0]))
    #expect(MaskedComparison([0xA5, 0xFA, 0x1F, 0x99], clause).firstDifference == nil)
    #expect(MaskedComparison([0xA5, 0xF5, 0x1F], clause).firstDifference == 1)
    #expect(MaskedComparison([0xA5, 0xFA, 0x2F], clause).firstDifference == 2)
    #expect(MaskedComparison([0xA5, 0xFA], clause).firstDifference == 2)
    #expect(MaskedComparison([0x00, 0xFA], clause).firstDifference == 0)
    #expect(MaskedComparison([], clause).isTooShort)
  }

  @Test func whatIsMalformedMeetsNothingAndHidesNothingBeforeIt() {
    // A company's data, then a length past the end.
    let payload: [UInt8] = [0x04, 0xFF, 0xEE, 0x0E, 0x01, 0x09, 0x09, 0x4C]
    var descriptor = DiscoveryDescriptor()
    descriptor.companyIdentifier = 0x0EEE
    descriptor.nameSubstring = [0x4C]
    let answers = ClauseQuestion.answers(
      descriptor, ObservedStructure.all(in: payload.span.rawBytes, .data),
      of: DeviceAddress(bits: 1, type: .public))
    #expect(answers.map(\.holds) == [true, false])
    #expect(answers.map(\.key) == [.companyIdentifier, .nameSubstring])
    #expect(answers[1].comparisons.isEmpty)
  }
}

/// Small worlds, so that clauses and payloads meet often.
private struct Dice {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  mutating func bytes(_ counts: Range<Int>) -> [UInt8] {
    (0..<(counts.lowerBound + below(counts.count))).map { _ in UInt8(below(3)) }
  }

  private mutating func company() -> UInt16 { UInt16(below(3)) }

  private mutating func uuid() -> BluetoothUUID {
    below(4) == 0
      ? BluetoothUUID(high: UInt64(below(2)), low: 7) : BluetoothUUID(short: UInt32(0xFE00 + below(3)))
  }

  private mutating func name() -> [UInt8] {
    let letters: [[UInt8]] = [Array("a".utf8), Array("B".utf8), Array("é".utf8), Array("É".utf8), [0xFF]]
    return (0...below(4)).flatMap { _ in letters[below(letters.count)] }
  }

  private mutating func masked() -> MaskedBytes? {
    guard below(3) > 0 else { return nil }
    let blob = bytes(1..<4)
    return MaskedBytes(blob: blob, mask: blob.map { _ in [0x00, 0x01, 0x03, 0xFF][below(4)] })
  }

  mutating func descriptor() -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    let kind = below(3)
    if kind != 1 {
      descriptor.companyIdentifier = company()
      descriptor.manufacturerData = masked()
    }
    if kind != 0 {
      descriptor.serviceUUID = uuid()
      descriptor.serviceData = masked()
    }
    if below(3) == 0 {
      descriptor.nameSubstring = name()
      descriptor.nameCompareOptions = CompareOptions(rawValue: UInt(below(16)))
    }
    if below(4) == 0 {
      descriptor.addressPrefix = AddressPrefix(of: address().bits, byteCount: UInt8(1 + below(6)))
    }
    let hasOtherClause = descriptor.nameSubstring != nil || descriptor.addressPrefix != nil
    if hasOtherClause, below(2) == 0 {
      (descriptor.companyIdentifier, descriptor.manufacturerData) = (nil, nil)
      (descriptor.serviceUUID, descriptor.serviceData) = (nil, nil)
    }
    return descriptor
  }

  /// Static, public, resolvable or not resolvable; those that stay begin alike.
  mutating func address() -> DeviceAddress {
    let bits: [UInt64] = [0xC47C_8D00_0001, 0xC47C_8E00_0001, 0x447C_8D00_0001, 0x047C_8D00_0001]
    return DeviceAddress(bits: bits[below(4)], type: below(3) == 0 ? .public : .random)
  }

  mutating func payload() -> [UInt8] {
    var payload = AdvertisingPayload()
    for _ in 0..<below(4) {
      switch below(6) {
      case 0, 1: payload = payload.manufacturerData(company(), bytes(0..<5))
      case 2: payload = payload.serviceData(uuid(), bytes(0..<5))
      case 3: payload = payload.services(uuid())
      case 4: payload = payload.structure(.completeName, name())
      default: payload = payload.raw([UInt8(below(4)), 0xFF, UInt8(below(3))])
      }
    }
    return payload.bytes
  }
}
