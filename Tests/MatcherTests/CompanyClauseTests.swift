// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("The company identifier and the data after it")
struct CompanyClauseTests {
  private static let payload: [UInt8] = [0xA5, 0x5A, 0x00, 0x17]
  private static let exact = DiscoveryDescriptor.company(Sample.company).manufacturerData(payload)

  /// Whether a descriptor holds on an advertisement.
  private func holds(_ descriptor: DiscoveryDescriptor, on payload: AdvertisingPayload) -> Bool {
    var matcher = CompiledMatcher(descriptor)
    return matcher.find(payload.bytes) == .items(0)
  }

  @Test("A company identifier holds on manufacturer data that starts with it, empty data included")
  func company() {
    #expect(holds(.company(Sample.company), on: .testCompany(Self.payload)))
    #expect(holds(.company(Sample.company), on: .testCompany([])))
  }

  @Test("A company identifier does not hold on another company's data or on none")
  func otherCompany() {
    let other = AdvertisingPayload().manufacturerData(Sample.otherCompany, Self.payload)
    #expect(!holds(.company(Sample.company), on: other))
    #expect(!holds(.company(Sample.company), on: AdvertisingPayload().flags(6).name("Lumo")))
  }

  @Test("0x0000 is a company like any other")
  func companyZero() {
    #expect(holds(.company(0), on: AdvertisingPayload().manufacturerData(0, [1])))
    #expect(!holds(.company(0), on: .testCompany([1])))
    #expect(!holds(.company(0), on: AdvertisingPayload().flags(6)))
  }

  @Test("A company identifier and a service UUID with the same digits are two things")
  func companyIsNoService() {
    let payload = AdvertisingPayload().services(BluetoothUUID(short: UInt32(Sample.company)))
    #expect(!holds(.company(Sample.company), on: payload))
  }

  @Test("A blob holds on data that begins with it")
  func blob() {
    #expect(holds(Self.exact, on: .testCompany(Self.payload)))
    #expect(holds(Self.exact, on: .testCompany(Self.payload + [9, 9])))
  }

  @Test("Data shorter than the blob never matches, even where the mask is zero")
  func shortData() {
    let masked = DiscoveryDescriptor.company(Sample.company)
      .manufacturerData(Self.payload, mask: [0xFF, 0, 0, 0])
    #expect(!holds(Self.exact, on: .testCompany(Array(Self.payload.dropLast()))))
    #expect(!holds(masked, on: .testCompany(Array(Self.payload.dropLast()))))
    #expect(holds(masked, on: .testCompany([0xA5, 1, 2, 3])))
  }

  @Test("Only bits under the mask count, in the data and in the blob")
  func mask() {
    let descriptor = DiscoveryDescriptor.company(Sample.company)
      .manufacturerData([0xA5, 0xFF], mask: [0xF0, 0x0F])
    #expect(holds(descriptor, on: .testCompany([0xA0, 0x0F])))
    #expect(holds(descriptor, on: .testCompany([0xAF, 0xFF])))
    #expect(!holds(descriptor, on: .testCompany([0xB5, 0x0F])))
    #expect(!holds(descriptor, on: .testCompany([0xA5, 0x0E])))
  }

  @Test("A mask of zeros asks for the length alone", arguments: [1, 7, 8, 9, 40])
  func maskOfZeros(byteCount: Int) {
    let zeros = [UInt8](repeating: 0, count: byteCount)
    let ones = [UInt8](repeating: 0xFF, count: byteCount)
    let descriptor = DiscoveryDescriptor.company(Sample.company).manufacturerData(ones, mask: zeros)
    #expect(holds(descriptor, on: .testCompany(zeros)))
    #expect(!holds(descriptor, on: .testCompany(Array(zeros.dropLast()))))
  }

  @Test("Every single bit of a blob counts", arguments: [1, 7, 8, 9, 15, 16, 17, 31, 250])
  func everyBit(byteCount: Int) {
    let blob = (0..<byteCount).map { UInt8(truncatingIfNeeded: 37 &* $0) }
    var matcher = CompiledMatcher(.company(Sample.company).manufacturerData(blob))
    #expect(matcher.find(AdvertisingPayload.testCompany(blob).bytes) == .items(0))
    for bit in 0..<(8 * byteCount) {
      var flipped = blob
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(matcher.find(AdvertisingPayload.testCompany(flipped).bytes) == .nothing, "bit \(bit)")
    }
  }

  @Test("Any of several structures of the company may hold the blob")
  func severalStructures() {
    #expect(holds(Self.exact, on: .testCompany([0]).manufacturerData(Sample.company, Self.payload)))
    #expect(holds(Self.exact, on: .testCompany(Self.payload).manufacturerData(Sample.company, [0])))
  }

  @Test("The identifier of one structure does not lend itself to the data of another")
  func noBorrowedIdentifier() {
    let payload = AdvertisingPayload.testCompany([0]).manufacturerData(Sample.otherCompany, Self.payload)
    #expect(!holds(Self.exact, on: payload))
  }

  @Test("A company identifier cut to one byte is no company, and the rest is still read")
  func halfIdentifier() {
    let payload = AdvertisingPayload().structure(.manufacturerData, [0xEE])
    #expect(!holds(.company(Sample.company), on: payload))
    #expect(holds(Self.exact, on: payload.manufacturerData(Sample.company, Self.payload)))
  }
}
