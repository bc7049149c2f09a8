// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import TestSupport
import Testing
import VirtualRadio

@Suite("The service UUID and the data after it")
struct ServiceClauseTests {
  private func holds(_ descriptor: DiscoveryDescriptor, on payload: AdvertisingPayload) -> Bool {
    var matcher = CompiledMatcher(descriptor)
    return matcher.find(payload.bytes) == .items(0)
  }

  /// FE0F in each of its three forms, least significant byte first.
  static let forms: [[UInt8]] = [
    hex("0F FE"),
    hex("0F FE 00 00"),
    hex("FB 34 9B 5F 80 00 00 80 00 10 00 00 0F FE 00 00"),
  ]

  /// Complete and incomplete lists and the key of service data, by the size of the UUID.
  private static func places(_ form: [UInt8]) -> [ADType] {
    switch form.count {
    case 2: [.incompleteServices16, .completeServices16, .serviceData16]
    case 4: [.incompleteServices32, .completeServices32, .serviceData32]
    default: [.incompleteServices128, .completeServices128, .serviceData128]
    }
  }

  @Test("16, 32 and 128 bits of one UUID are the same, in lists and as a key", arguments: forms)
  func threeForms(form: [UInt8]) {
    for type in Self.places(form) {
      let payload = AdvertisingPayload().structure(type, form)
      #expect(holds(.service(BluetoothUUID(bytes: form.rawSpan)), on: payload), "\(type)")
      #expect(holds(.service(Sample.service), on: payload), "\(type)")
      #expect(!holds(.service(Sample.otherService), on: payload), "\(type)")
    }
  }

  @Test("A 128-bit UUID of its own is compared in all its bits")
  func longUUID() {
    let near = BluetoothUUID(high: Sample.longService.high, low: Sample.longService.low ^ 1 << 63)
    let payload = AdvertisingPayload().services(Sample.longService)
    #expect(holds(.service(Sample.longService), on: payload))
    #expect(!holds(.service(near), on: payload))
  }

  @Test("Every place in a list counts, the last one included")
  func lastOfList() {
    let payload = AdvertisingPayload().services(
      Sample.otherService, BluetoothUUID(short: 0x180F), Sample.service)
    #expect(holds(.service(Sample.service), on: payload))
  }

  @Test("A solicited service is not an offered one")
  func solicitation() {
    #expect(!holds(.service(Sample.service), on: AdvertisingPayload().solicitations(Sample.service)))
  }

  @Test("A list that ends inside a UUID loses that one, and nothing before or after it")
  func halfUUID() {
    let cut = AdvertisingPayload().structure(.completeServices16, hex("0D 18 0F FE 0F"))
    #expect(holds(.service(Sample.otherService), on: cut))
    #expect(holds(.service(Sample.service), on: cut))
    #expect(!holds(.service(BluetoothUUID(short: 0x0F)), on: cut))
    #expect(holds(.service(Sample.longService), on: cut.incompleteServices(Sample.longService)))
    #expect(!holds(.service(Sample.service), on: AdvertisingPayload().structure(.completeServices16, [0x0F])))
  }

  @Test("Service data holds under its mask, in each form of the key", arguments: forms)
  func serviceData(form: [UInt8]) {
    let type = Self.places(form)[2]
    let descriptor = DiscoveryDescriptor.service(Sample.service).serviceData([0x40, 7], mask: [0xE1, 0xFF])
    #expect(holds(descriptor, on: AdvertisingPayload().structure(type, form + [0x44, 7])))
    #expect(holds(descriptor, on: AdvertisingPayload().structure(type, form + [0x40, 7, 1])))
    #expect(!holds(descriptor, on: AdvertisingPayload().structure(type, form + [0x41, 7])))
    #expect(!holds(descriptor, on: AdvertisingPayload().structure(type, form + [0x40])))
  }

  @Test("A listed service has no data")
  func listedServiceHasNoData() {
    let descriptor = DiscoveryDescriptor.service(Sample.service).serviceData([0x40], mask: [0])
    #expect(!holds(descriptor, on: AdvertisingPayload().services(Sample.service)))
    #expect(!holds(descriptor, on: AdvertisingPayload().services(Sample.service, Sample.otherService)))
  }

  @Test("The key of one structure does not lend itself to the data of another")
  func noBorrowedKey() {
    let descriptor = DiscoveryDescriptor.service(Sample.service).serviceData([0x40])
    let payload = AdvertisingPayload().serviceData(Sample.service, [0])
      .serviceData(Sample.otherService, [0x40])
    #expect(!holds(descriptor, on: payload))
    #expect(holds(descriptor, on: payload.serviceData(Sample.service, [0x40])))
  }
}
