// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import TestSupport

/// The rules of matching once more, as they read: every descriptor of every item against decoded fields.
struct NaiveMatcher {
  let items: [[DiscoveryDescriptor]]

  func find(_ data: [UInt8], response: [UInt8] = [], of address: DeviceAddress? = nil) -> Found {
    let fields = NaiveFields(data, response)
    let matching = items.indices.filter { index in
      items[index].contains { holds($0, on: fields) && holdsAddress($0, of: address) }
    }
    return Found(items: Array(matching.prefix(8)), total: matching.count)
  }

  /// Losses and transmit power as the structure reader reports them.
  func remarks(_ data: [UInt8], response: [UInt8]) -> Remarks {
    var remarks = Remarks()
    for reading in [PayloadReading(data), PayloadReading(response)] {
      let kinds = reading.malformations.map(\.kind)
      remarks.lengthPastEnd += kinds.count { $0 == .lengthPastEnd }
      remarks.dataAfterEnd += kinds.count { $0 == .dataAfterEnd }
      remarks.wrongSize += kinds.count { $0 == .wrongSize }
      for case .txPowerLevel(let level) in reading.values { remarks.txPower = level }
    }
    return remarks
  }

  private func holds(_ descriptor: DiscoveryDescriptor, on fields: NaiveFields) -> Bool {
    holdsCompany(descriptor, on: fields) && holdsService(descriptor, on: fields)
      && holdsName(descriptor, on: fields)
  }

  /// Compared as they are written; an address that changes has no beginning.
  private func holdsAddress(_ descriptor: DiscoveryDescriptor, of address: DeviceAddress?) -> Bool {
    guard let prefix = descriptor.addressPrefix else { return true }
    guard let address, address.type != .random || address.bits >= 0xC000_0000_0000 else { return false }
    return AddressText.text(of: address.bits).hasPrefix(AddressText.text(of: prefix))
  }

  private func holdsCompany(_ descriptor: DiscoveryDescriptor, on fields: NaiveFields) -> Bool {
    guard let company = descriptor.companyIdentifier else { return true }
    return fields.manufacturerData.contains { structure in
      structure.company == Int(company) && begins(structure.data, as: descriptor.manufacturerData)
    }
  }

  private func holdsService(_ descriptor: DiscoveryDescriptor, on fields: NaiveFields) -> Bool {
    guard let uuid = descriptor.serviceUUID.map(bytes) else { return true }
    if descriptor.serviceData == nil, fields.services.contains(uuid) { return true }
    return fields.serviceData.contains { structure in
      structure.uuid == uuid && begins(structure.data, as: descriptor.serviceData)
    }
  }

  private func holdsName(_ descriptor: DiscoveryDescriptor, on fields: NaiveFields) -> Bool {
    guard let substring = descriptor.nameSubstring else { return true }
    return fields.names.contains { NaiveName.holds(substring, descriptor.nameCompareOptions, on: $0) }
  }

  private func begins(_ data: [UInt8], as masked: MaskedBytes?) -> Bool {
    guard let masked else { return true }
    guard data.count >= masked.blob.count else { return false }
    return zip(data, zip(masked.blob, masked.mask)).allSatisfy { byte, wanted in
      byte & wanted.1 == wanted.0 & wanted.1
    }
  }

  private func bytes(_ uuid: BluetoothUUID) -> [UInt8] {
    [uuid.low, uuid.high].flatMap { (half: UInt64) -> [UInt8] in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(8 * $0)) }
    }
  }
}

/// Names as lists of letters.
enum NaiveName {
  static func holds(_ substring: [UInt8], _ options: CompareOptions, on name: [UInt8]) -> Bool {
    let isFolded = options.contains(.caseInsensitive)
    let wanted = letters(substring, isFolded: isFolded)
    let found = letters(name, isFolded: isFolded)
    guard found.count >= wanted.count else { return false }
    if options.contains(.anchored) {
      return Array(options.contains(.backwards) ? found.suffix(wanted.count) : found.prefix(wanted.count))
        == wanted
    }
    return (0...(found.count - wanted.count)).contains { Array(found[$0...].prefix(wanted.count)) == wanted }
  }

  /// Bytes, or scalars folded; an ill-formed byte counts above all scalars.
  private static func letters(_ bytes: [UInt8], isFolded: Bool) -> [UInt32] {
    guard isFolded else { return bytes.map(UInt32.init) }
    var letters: [UInt32] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = (1...4).first {
        String(validating: rest.prefix($0), as: UTF8.self)?.unicodeScalars.count == 1
      }
      let text = String(decoding: rest.prefix(count ?? 0), as: UTF8.self)
      letters.append(text.unicodeScalars.first.map(fold) ?? 0x1000_0000 + UInt32(rest[rest.startIndex]))
      rest = rest.dropFirst(count ?? 1)
    }
    return letters
  }

  /// Every scalar of the test alphabet whose folded form is another one.
  private static func fold(_ scalar: Unicode.Scalar) -> UInt32 {
    switch scalar {
    case "A"..."Z": scalar.value + 32
    case "\u{C9}": 0xE9
    case "\u{3A3}", "\u{3C2}": 0x3C3
    case "\u{212A}": 0x6B
    case "\u{10400}": 0x10428
    default: scalar.value
    }
  }
}
