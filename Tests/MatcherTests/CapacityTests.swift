// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Testing
import VirtualRadio

/// The tables are measured for exactly the manifest's descriptors and trap when they are too small; these sets fill
/// one of them each.
@Suite("Tables filled to the last place")
struct CapacityTests {
  private typealias Data = (blob: [UInt8], mask: [UInt8])

  /// Item `index` matches its own payload, and the others at most count.
  private func expectEachFindsItself(_ items: [[DiscoveryDescriptor]], _ payloads: [AdvertisingPayload]) {
    var compiled = CompiledMatcher(items: items)
    let naive = NaiveMatcher(items: items)
    for (index, payload) in payloads.enumerated() {
      let found = compiled.find(payload.bytes)
      #expect(found == naive.find(payload.bytes), "payload \(index)")
      #expect(found.total >= 1, "payload \(index)")
    }
  }

  private func descriptor(_ data: Data) -> DiscoveryDescriptor {
    .company(Sample.company).manufacturerData(data.blob, mask: data.mask)
  }

  /// A number written into the first two bytes of a blob.
  private func blob(_ number: Int, byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { (place: Int) -> UInt8 in place < 2 ? UInt8(number >> (8 * place) & 0xFF) : 0xA5 }
  }

  @Test("Every descriptor under one company has a mask of its own")
  func distinctMasks() {
    let all: [Data] = (1...255).map { mask in (blob(mask, byteCount: 3), [UInt8(mask), 0, 0xFF]) }
    expectEachFindsItself(all.map { [descriptor($0)] }, all.map { .testCompany($0.blob) })
  }

  @Test("Masks differ in their length alone", arguments: [0x00, 0xFF] as [UInt8])
  func distinctLengths(byte: UInt8) {
    let all: [Data] = (1...250).map { count in
      (blob(count, byteCount: count), [UInt8](repeating: byte, count: count))
    }
    expectEachFindsItself(all.map { [descriptor($0)] }, all.map { .testCompany($0.blob) })
  }

  @Test("Every descriptor under one company has a value of its own under one mask")
  func distinctValues() {
    let all: [Data] = (0..<400).map { (blob($0, byteCount: 9), [UInt8](repeating: 0xFF, count: 9)) }
    expectEachFindsItself(all.map { [descriptor($0)] }, all.map { .testCompany($0.blob) })
  }

  @Test("Every blob has 250 bytes")
  func longBlobs() {
    let all: [Data] = (0..<100).map { index in
      var mask = [UInt8](repeating: 0xFF, count: 250)
      mask[2 + index] = 0
      return (blob(index, byteCount: 250), mask)
    }
    expectEachFindsItself(all.map { [descriptor($0)] }, all.map { .testCompany($0.blob) })
  }

  @Test("Every item has two descriptors with two blobs and a name each")
  func everyClause() {
    let items = (0..<100).map { index in
      (0..<2).map { half in
        DiscoveryDescriptor.company(UInt16(2 * index + half))
          .manufacturerData(blob(index, byteCount: 17)).service(BluetoothUUID(short: UInt32(7000 + index)))
          .serviceData(blob(index, byteCount: 15)).named("\(2 * index + half)", .anchored)
      }
    }
    let payloads = (0..<100).map { index in
      AdvertisingPayload().name("\(2 * index + 1)").manufacturerData(
        UInt16(2 * index + 1), blob(index, byteCount: 17)
      ).serviceData(BluetoothUUID(short: UInt32(7000 + index)), blob(index, byteCount: 15))
    }
    expectEachFindsItself(items, payloads)
  }

  @Test("Every descriptor is the same")
  func noDifference() {
    let data: Data = (blob(1, byteCount: 8), [UInt8](repeating: 0xFF, count: 8))
    expectEachFindsItself((0..<300).map { _ in [descriptor(data)] }, [.testCompany(data.blob)])
  }

  @Test("Every descriptor has a key of its own")
  func distinctKeys() {
    let items = (0..<600).map { index -> [DiscoveryDescriptor] in
      if index % 2 == 0 { return [.company(UInt16(index))] }
      return [.service(BluetoothUUID(short: UInt32(index)))]
    }
    let payloads = (0..<600).map { index -> AdvertisingPayload in
      if index % 2 == 0 { return AdvertisingPayload().manufacturerData(UInt16(index), []) }
      return AdvertisingPayload().services(BluetoothUUID(short: UInt32(index)))
    }
    expectEachFindsItself(items, payloads)
  }

  @Test("One descriptor alone, of each kind, and none at all")
  func fewest() {
    expectEachFindsItself([[.company(0)]], [AdvertisingPayload().manufacturerData(0, [])])
    expectEachFindsItself(
      [[.service(Sample.longService)]], [AdvertisingPayload().services(Sample.longService)])
    expectEachFindsItself([[descriptor(([1], [1]))]], [.testCompany([3])])
    var matcher = CompiledMatcher(items: [])
    #expect(matcher.find(AdvertisingPayload.testCompany([1]).services(Sample.service).bytes) == .nothing)
  }
}
