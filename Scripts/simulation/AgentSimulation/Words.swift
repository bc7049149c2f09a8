// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest

/// What a payload says, read as the specification is written: one structure after the other, lists as arrays.
///
/// Written anew for the reference model; nothing of the matcher is in it.
struct Words {
  private(set) var manufacturers: [(company: UInt16, data: [UInt8])] = []
  private(set) var services: [(uuid: BluetoothUUID, data: [UInt8]?)] = []
  private(set) var names: [[UInt8]] = []
  private(set) var txPower: Int?

  /// Advertising data, then scan response; each is cut off where its own lengths end.
  init(_ payloads: [UInt8]...) {
    for payload in payloads { read(payload) }
  }

  private mutating func read(_ payload: [UInt8]) {
    var place = 0
    while place < payload.count, payload[place] > 0 {
      let end = place + 1 + Int(payload[place])
      guard end <= payload.count else { return }
      take(payload[place + 1], Array(payload[(place + 2)..<end]))
      place = end
    }
  }

  private mutating func take(_ type: UInt8, _ value: [UInt8]) {
    switch type {
    case 0x02, 0x03: list(value, 2)
    case 0x04, 0x05: list(value, 4)
    case 0x06, 0x07: list(value, 16)
    case 0x08, 0x09: names.append(value)
    case 0x0A where value.count == 1: txPower = Int(Int8(bitPattern: value[0]))
    case 0x16: keyed(value, 2)
    case 0x20: keyed(value, 4)
    case 0x21: keyed(value, 16)
    case 0xFF where value.count >= 2:
      manufacturers.append((UInt16(value[0]) | UInt16(value[1]) << 8, Array(value[2...])))
    default: break
    }
  }

  private mutating func list(_ value: [UInt8], _ size: Int) {
    for start in stride(from: 0, through: value.count - size, by: size) {
      services.append((Self.uuid(Array(value[start..<(start + size)])), nil))
    }
  }

  private mutating func keyed(_ value: [UInt8], _ size: Int) {
    guard value.count >= size else { return }
    services.append((Self.uuid(Array(value[..<size])), Array(value[size...])))
  }

  /// Least significant byte first.
  private static func uuid(_ bytes: [UInt8]) -> BluetoothUUID {
    let number = { (part: ArraySlice<UInt8>) in part.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    return bytes.count == 16
      ? BluetoothUUID(high: number(bytes[8...]), low: number(bytes[..<8]))
      : BluetoothUUID(short: UInt32(number(bytes[...])))
  }
}

extension Words {
  /// Whether every clause holds.
  func meet(_ wanted: DiscoveryDescriptor) -> Bool {
    if let company = wanted.companyIdentifier {
      let data = manufacturers.filter { $0.company == company }.map(\.data)
      guard data.contains(where: { Self.meets($0, wanted.manufacturerData) }) else { return false }
    }
    if let service = wanted.serviceUUID {
      let found = services.filter { $0.uuid == service }
      guard
        found.contains(where: { entry in
          guard let data = entry.data else { return wanted.serviceData == nil }
          return Self.meets(data, wanted.serviceData)
        })
      else { return false }
    }
    guard let name = wanted.nameSubstring else { return true }
    return names.contains { Self.meets($0, name, wanted.nameCompareOptions) }
  }

  private static func meets(_ data: [UInt8], _ wanted: MaskedBytes?) -> Bool {
    guard let wanted else { return true }
    guard data.count >= wanted.blob.count else { return false }
    return wanted.blob.indices.allSatisfy { data[$0] & wanted.mask[$0] == wanted.blob[$0] & wanted.mask[$0] }
  }

  /// Names here are ASCII, where simple case folding is lower case.
  private static func meets(_ name: [UInt8], _ part: [UInt8], _ options: CompareOptions) -> Bool {
    let fold = { (text: [UInt8]) in
      options.contains(.caseInsensitive) ? text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } : text
    }
    let (name, part) = (fold(name), fold(part))
    guard name.count >= part.count else { return false }
    let places = Array(0...(name.count - part.count))
    let allowed =
      !options.contains(.anchored) ? places : options.contains(.backwards) ? [places[places.count - 1]] : [0]
    return allowed.contains { Array(name[$0..<($0 + part.count)]) == part }
  }
}

extension DisplayItem {
  /// Whether one of its identities is met.
  func isMet(by words: Words) -> Bool {
    if descriptor.hasBluetoothClause, words.meet(descriptor) { return true }
    return alternate.map { $0.hasBluetoothClause && words.meet($0) } ?? false
  }
}
