// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import VirtualRadio

/// Descriptors and payloads out of small alphabets, so that keys, masks and values collide.
struct RandomCases {
  private var dice: SeededGenerator

  init(seed: UInt64) { dice = SeededGenerator(seed: seed) }

  private static let companies: [UInt16] = [0, Sample.company, 0xFE0F]
  private static let services: [BluetoothUUID] = [
    Sample.service, Sample.otherService, BluetoothUUID(short: 0x1234_FE0F), Sample.longService,
  ]
  private static let addresses: [UInt64] = [0xC47C_8D00_0001, 0xC47C_8DFF_0001, 0x447C_8D00_0001]
  private static let bytes: [UInt8] = [0x00, 0x01, 0xA5, 0xFF]
  private static let masks: [UInt8] = [0x00, 0x0F, 0xFF]
  private static let letters: [[UInt8]] = [
    "a", "A", "k", "K", "\u{212A}", "\u{E9}", "\u{C9}", "\u{3C3}", "\u{3C2}", "\u{3A3}", "\u{10400}",
    "\u{10428}",
  ].map { Array($0.utf8) }
  /// What is no letter: a stray continuation, half a letter, a byte that never occurs.
  private static let torn: [[UInt8]] = [[0x84], [0xE2, 0x84], [0xC3], [0xFF]]

  /// Every type with a size of its own, and one without a reading.
  private static let types: [UInt8] =
    Array(0x01...0x0A) + [0x14, 0x15, 0x16, 0x19, 0x1F, 0x20, 0x21, 0x24, 0xFF]

  /// One to forty items, one in five with two descriptors.
  mutating func items() -> [[DiscoveryDescriptor]] {
    (0..<(1 + number(below: chance(20) ? 40 : 10))).map { _ in
      chance(20) ? [descriptor(), descriptor()] : [descriptor()]
    }
  }

  private mutating func descriptor() -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    let keys = number(below: 4)  // 0 and 1: company, 2: service, 3: both
    if keys != 2 {
      descriptor.companyIdentifier = pick(Self.companies)
      if chance(70) { descriptor.manufacturerData = maskedBytes() }
    }
    if keys >= 2 {
      descriptor.serviceUUID = pick(Self.services)
      if chance(50) { descriptor.serviceData = maskedBytes() }
    }
    if chance(25) {
      descriptor.nameSubstring = Array((0...number(below: 3)).flatMap { _ in pick(Self.letters) })
      descriptor.nameCompareOptions = CompareOptions(rawValue: UInt(number(below: 16)))
    }
    if chance(6) {
      let byteCount = UInt8(1 + number(below: 6))
      descriptor.addressPrefix = AddressPrefix(of: pick(Self.addresses), byteCount: byteCount)
    }
    return chance(25) ? withoutKey(descriptor) : descriptor
  }

  /// The name and the address of a descriptor, if it has them.
  private func withoutKey(_ descriptor: DiscoveryDescriptor) -> DiscoveryDescriptor {
    guard descriptor.nameSubstring != nil || descriptor.addressPrefix != nil else { return descriptor }
    var keyless = DiscoveryDescriptor()
    keyless.nameSubstring = descriptor.nameSubstring
    keyless.nameCompareOptions = descriptor.nameCompareOptions
    keyless.addressPrefix = descriptor.addressPrefix
    return keyless
  }

  /// Public, identity, static or private.
  mutating func address() -> DeviceAddress {
    DeviceAddress(bits: pick(Self.addresses), type: pick([.public, .publicIdentity, .random, .random]))
  }

  private mutating func maskedBytes() -> MaskedBytes? {
    let count = byteCount()
    let style = number(below: 4)  // 0: every bit, 1: none, 2: the last byte, 3: any
    let mask = (0..<count).map { index -> UInt8 in
      switch style {
      case 0: 0xFF
      case 1: 0
      case 2: index == count - 1 ? 0xFF : 0
      default: pick(Self.masks)
      }
    }
    return MaskedBytes(blob: bytes(count), mask: mask)
  }

  /// Mostly a few bytes, at times up to 40, rarely as many as a structure can hold after its longest key.
  private mutating func byteCount() -> Int {
    switch number(below: 20) {
    case 0: 200 + number(below: 38)
    case 1..<6: 5 + number(below: 36)
    default: 1 + number(below: 3)
    }
  }

  private mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in pick(Self.bytes) } }

  /// A payload that meets some clauses of the items, misses others narrowly, and may be damaged.
  mutating func payload(for items: [[DiscoveryDescriptor]]) -> [UInt8] {
    var payload = AdvertisingPayload()
    for _ in 0..<number(below: 4) {
      let descriptor = chance(80) ? pick(pick(items)) : self.descriptor()
      payload = structures(like: descriptor, after: payload)
    }
    if chance(10) { payload = payload.structure(pick(Self.types), bytes(number(below: 20))) }
    return chance(10) ? damaged(payload.bytes) : payload.bytes
  }

  private mutating func structures(
    like descriptor: DiscoveryDescriptor, after payload: AdvertisingPayload
  ) -> AdvertisingPayload {
    var result = payload
    if let company = descriptor.companyIdentifier, chance(85) {
      result = result.manufacturerData(company, data(like: descriptor.manufacturerData))
    }
    if let uuid = descriptor.serviceUUID, chance(85) {
      result = service(uuid, data: data(like: descriptor.serviceData), after: result)
    }
    if let name = descriptor.nameSubstring, chance(85) {
      let padding = [UInt8](repeating: 0, count: chance(20) ? number(below: 4) : 0)
      let text = affix() + (chance(50) ? name : affix()) + affix() + padding
      result = result.structure(chance(50) ? .completeName : .shortenedName, text)
    }
    return chance(20) ? result.flags(6).txPowerLevel(4) : result
  }

  /// What a blob asks for, with other bits where the mask has none; at times a bit or a byte off.
  private mutating func data(like masked: MaskedBytes?) -> [UInt8] {
    guard let masked, chance(85) else { return bytes(byteCount()) }
    var data = zip(masked.blob, masked.mask).map { blob, mask in blob & mask | pick(Self.bytes) & ~mask }
    if chance(30), !data.isEmpty { data[number(below: data.count)] ^= 1 << UInt8(number(below: 8)) }
    if chance(15) { return Array(data.dropLast()) }
    return chance(30) && data.count < 200 ? data + bytes(number(below: 20)) : data
  }

  /// In a list with others or as a key of data, in any form that can carry the UUID.
  private mutating func service(
    _ uuid: BluetoothUUID, data: [UInt8], after payload: AdvertisingPayload
  ) -> AdvertisingPayload {
    let form = pick(Self.forms(of: uuid))
    if chance(50) {
      let type: ADType =
        form.count == 2 ? .serviceData16 : form.count == 4 ? .serviceData32 : .serviceData128
      return payload.structure(type, form + data)
    }
    let neighbours = (0..<number(below: 3)).flatMap { _ in
      pick(Self.forms(of: uuid).filter { $0.count == form.count })
    }
    let types: [ADType] =
      form.count == 2
      ? [.incompleteServices16, .completeServices16, .solicitation16]
      : form.count == 4
        ? [.incompleteServices32, .completeServices32] : [.incompleteServices128, .completeServices128]
    return payload.structure(pick(types), neighbours + form + (chance(10) ? [form[0]] : []))
  }

  private static func forms(of uuid: BluetoothUUID) -> [[UInt8]] {
    let long = [uuid.low, uuid.high].flatMap { (half: UInt64) -> [UInt8] in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(8 * $0)) }
    }
    guard let short = uuid.short else { return [long] }
    let four = Array(long[12...])
    return short <= 0xFFFF ? [long, four, Array(four.prefix(2))] : [long, four]
  }

  private mutating func affix() -> [UInt8] {
    (0..<number(below: 3)).flatMap { _ in chance(15) ? pick(Self.torn) : pick(Self.letters) }
  }

  /// A length that lies, an early end, or an end that is missing.
  private mutating func damaged(_ payload: [UInt8]) -> [UInt8] {
    var damaged = payload
    switch number(below: 3) {
    case 0: damaged += [UInt8(2 + number(below: 30)), 0xFF]
    case 1: damaged.insert(0, at: number(below: damaged.count + 1))
    default: damaged.removeLast(min(damaged.count, number(below: 4)))
    }
    return damaged
  }

  mutating func number(below bound: Int) -> Int { dice.number(below: bound) }
  mutating func chance(_ percent: Int) -> Bool { dice.chance(perMille: 10 * percent) }
  private mutating func pick<Element>(_ list: [Element]) -> Element { list[number(below: list.count)] }
}
