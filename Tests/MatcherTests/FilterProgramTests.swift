// SPDX-License-Identifier: GPL-3.0-or-later

import FilterSupport
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("The program that filters in the kernel")
struct FilterProgramTests {
  private static let address = DeviceAddress(bits: 0xC47C_8D12_3456, type: .random)

  private func program(
    _ descriptors: DiscoveryDescriptor..., addresses: Set<UInt32> = [], passesPrivate: Bool = false
  ) throws -> FilterMachine {
    var contents = FilterProgram.Contents()
    contents.descriptors = descriptors
    contents.addresses = addresses
    contents.passesPrivateAddresses = passesPrivate
    let machine = FilterMachine(try #require(FilterProgram(contents)))
    #expect(machine.error == nil)
    return machine
  }

  private func report(
    _ payload: AdvertisingPayload, from address: DeviceAddress = address, _ format: ReportFormat = .legacy,
    pdu: AdvertisingPDU = .scannable
  ) -> [UInt8] {
    let air = AirReport(pdu, from: address, rssi: -60, payload)
    return ReportEncoder.event(format, format == .extended ? air.asExtended : air)
  }

  private func passes(_ packet: [UInt8], _ machine: FilterMachine) -> Bool {
    var machine = machine
    return machine.passes(packet)
  }

  @Test("A company passes with its data, and another does not", arguments: [ReportFormat.legacy, .extended])
  func company(format: ReportFormat) throws {
    let item = DiscoveryDescriptor.company(Sample.company).manufacturerData([1, 2, 3, 4, 5, 6, 7])
    let machine = try program(item)
    let payload = AdvertisingPayload().flags(6)
    let wanted = payload.manufacturerData(Sample.company, [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(passes(report(wanted, format), machine))
    for other in [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 8], [0, 2, 3, 4, 5, 6, 7]] as [[UInt8]] {
      #expect(!passes(report(payload.manufacturerData(Sample.company, other), format), machine))
    }
    let foreign = payload.manufacturerData(Sample.otherCompany, [1, 2, 3, 4, 5, 6, 7])
    #expect(!passes(report(foreign, format), machine))
    #expect(!passes(report(AdvertisingPayload(), format), machine))
  }

  @Test("Bits without a mask are not compared")
  func masks() throws {
    let machine = try program(
      .company(Sample.company).manufacturerData([0x10, 0, 0, 0, 0x22], mask: [0xF0, 0, 0, 0, 0xFF]))
    let passing = AdvertisingPayload().manufacturerData(Sample.company, [0x1F, 9, 9, 9, 0x22])
    let missing = AdvertisingPayload().manufacturerData(Sample.company, [0x2F, 9, 9, 9, 0x22])
    #expect(passes(report(passing), machine))
    #expect(!passes(report(missing), machine))
  }

  @Test("Names pass as they begin, or all of them")
  func names() throws {
    let bulb = AdvertisingPayload().structure(.completeName, Array("bulb 7".utf8))
    let lamp = AdvertisingPayload().structure(.shortenedName, Array("lamp".utf8))
    let prefix = try program(DiscoveryDescriptor().named("bulb", .anchored))
    #expect(passes(report(bulb), prefix))
    #expect(!passes(report(lamp), prefix))
    let anywhere = try program(DiscoveryDescriptor().named("ulb"))
    #expect(passes(report(lamp), anywhere))
    #expect(!passes(report(AdvertisingPayload().flags(6)), anywhere))
  }

  @Test("Listed addresses, prefixes and, with keys, private addresses pass")
  func addresses() throws {
    let empty = report(AdvertisingPayload().flags(6))
    #expect(passes(empty, try program(addresses: [0x8D12_3456])))
    #expect(!passes(empty, try program(addresses: [0x8D12_3457])))
    for byteCount in 1...6 as ClosedRange<UInt8> {
      var near = DiscoveryDescriptor()
      near.addressPrefix = AddressPrefix(of: Self.address.bits, byteCount: byteCount)
      #expect(passes(empty, try program(near)))
      var far = near
      far.addressPrefix = AddressPrefix(of: Self.address.bits ^ 1 << 40, byteCount: byteCount)
      #expect(!passes(empty, try program(far)))
    }
    let privateAddress = DeviceAddress(bits: 0x447C_8D12_3456, type: .random)
    let hidden = report(AdvertisingPayload(), from: privateAddress)
    #expect(passes(hidden, try program(passesPrivate: true)))
    #expect(!passes(hidden, try program()))
    #expect(!passes(empty, try program(passesPrivate: true)))
  }

  @Test("Two thousand addresses are distinguished from all others")
  func manyAddresses() throws {
    var dice = SeededGenerator(seed: 7)
    let addresses = Set((0..<2000).map { _ in UInt32(truncatingIfNeeded: dice.next()) })
    let machine = try program(addresses: addresses)
    for address in addresses {
      let bits = 0xC000_0000_0000 | UInt64(address)
      let known = DeviceAddress(bits: bits, type: .random)
      #expect(passes(report(AdvertisingPayload(), from: known), machine))
      let other = DeviceAddress(bits: bits ^ 1, type: .random)
      #expect(
        addresses.contains(address ^ 1) || !passes(report(AdvertisingPayload(), from: other), machine))
    }
  }

  @Test("Scan responses pass where an item may need both parts, and only there")
  func responses() throws {
    let both = DiscoveryDescriptor.company(Sample.company).named("bulb")
    for format in [ReportFormat.legacy, .extended] {
      let response = report(AdvertisingPayload().flags(6), format, pdu: .scanResponse)
      #expect(passes(response, try program(both)))
      #expect(!passes(report(AdvertisingPayload(), format, pdu: .scanResponse), try program(both)))
      #expect(!passes(response, try program(.company(Sample.company))))
    }
  }

  @Test("One of 64 passes by chance")
  func chance() throws {
    var machine = try program(.company(Sample.company))
    let packet = report(AdvertisingPayload().flags(6))
    let passed = (0..<6400).compactMap { machine.passed(packet, random: UInt32($0)) }
    #expect(passed == [[UInt8]](repeating: Array(packet.prefix(5)), count: 100))
  }

  @Test("What is no whole report passes")
  func others() throws {
    let machine = try program(.company(Sample.company))
    let air = AirReport(.scannable, from: Self.address, rssi: -60, AdvertisingPayload().flags(6))
    let legacy = ReportEncoder.event(.legacy, air)
    #expect(!passes(legacy, machine))
    #expect(passes(ReportEncoder.event(.legacy, air, air), machine))
    for count in 0..<legacy.count { #expect(passes(Array(legacy.prefix(count)), machine)) }
    #expect(passes(legacy + [0], machine))
    #expect(passes([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], machine))
    let six = (0..<6).reduce(AdvertisingPayload()) { payload, _ in payload.flags(6) }
    #expect(passes(report(six), machine))
    #expect(passes(report(AdvertisingPayload(raw: [2, 1, 6, 9, 0xFF])), machine))
    let part = AirReport(
      extendedFrom: Self.address, set: 1, properties: .connectable, rssi: -60,
      AdvertisingPayload(raw: [UInt8](repeating: 0, count: 300)))
    for fragment in ReportEncoder.chain(part) { #expect(passes(fragment, machine)) }
  }

  @Test("What does not fit is compared in less detail, and then not at all")
  func limits() throws {
    func contents(_ count: Int, sameCompany: Bool) -> FilterProgram.Contents {
      var contents = FilterProgram.Contents()
      contents.descriptors = (0..<count).map { number in
        let bytes = [UInt8(number >> 8), UInt8(number & 0xFF), 1, 2, 3, 4, 5, 6]
        return .company(sameCompany ? 9 : UInt16(number)).manufacturerData(bytes)
      }
      return contents
    }
    #expect(FilterProgram(contents(300, sameCompany: true))?.detail == .wholeData)
    #expect(FilterProgram(contents(600, sameCompany: true))?.detail == .firstBytes)
    #expect(FilterProgram(contents(2000, sameCompany: true))?.detail == .keys)
    #expect(FilterProgram(contents(2000, sameCompany: false))?.detail == .keys)
    #expect(FilterProgram(contents(5000, sameCompany: false)) == nil)
    #expect(FilterProgram(contents(3, sameCompany: true), from: .keys)?.detail == .keys)
    for detail in FilterProgram.Detail.allCases {
      let program = try #require(FilterProgram(contents(200, sameCompany: true), from: detail))
      #expect(FilterMachine(program).error == nil)
    }
  }
}

/// The view that is left of a device after the filter matches what the whole one matches.
@Suite("Random reports through the filter")
struct FilterDifferentialTests {
  @Test("Random items find the same in what passes", arguments: 1...20 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    var cases = RandomCases(seed: seed)
    var (matching, dropped, inBothParts) = (0, 0, 0)
    for _ in 0..<50 {
      let items = cases.items()
      var contents = FilterProgram.Contents()
      contents.descriptors = items.flatMap { $0 }
      for detail in FilterProgram.Detail.allCases {
        var machine = FilterMachine(try #require(FilterProgram(contents, from: detail)))
        #expect(machine.error == nil, "seed \(seed)\n\(items)")
        let naive = NaiveMatcher(items: items)
        for _ in 0..<10 {
          let parts = [cases.payload(for: items), cases.chance(50) ? cases.payload(for: items) : []]
          let address = cases.address()
          let format: ReportFormat = cases.chance(50) ? .legacy : .extended
          let passed = zip([AdvertisingPDU.scannable, .scanResponse], parts).map { pdu, part in
            // What is longer than an event comes in parts, which pass.
            guard part.count < 220 else { return part }
            let air = AirReport(pdu, from: address, rssi: -60, AdvertisingPayload(raw: part))
            let packet = ReportEncoder.event(format, format == .extended ? air.asExtended : air)
            return machine.passes(packet) ? part : []
          }
          let expected = naive.find(parts[0], response: parts[1], of: address)
          let found = naive.find(passed[0], response: passed[1], of: address)
          #expect(found == expected, "seed \(seed) \(detail)\n\(items)\n\(parts)\n\(address)")
          matching += expected.total > 0 ? 1 : 0
          dropped += passed == parts ? 0 : 1
          inBothParts += expected.total > naive.find(parts[0], of: address).total ? 1 : 0
        }
        #expect(machine.failedLoads == 0)
      }
    }
    #expect(matching > 300 && dropped > 20 && inBothParts > 3, "\(matching) \(dropped) \(inBothParts)")
  }
}
