// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest

/// The fields of a payload, read as the specification describes them: one structure after the other, lists as arrays.
///
/// It shares no code with the agent's matcher.
struct ParsedPayload {
  private(set) var manufacturers: [(company: UInt16, data: [UInt8])] = []
  private(set) var services: [(uuid: BluetoothUUID, data: [UInt8]?)] = []
  private(set) var names: [[UInt8]] = []
  private(set) var txPower: Int?

  /// Reads advertising data, then scan response, each up to the first structure that exceeds it.
  init(_ payloads: [UInt8]...) {
    for payload in payloads { read(payload) }
  }

  private mutating func read(_ payload: [UInt8]) {
    var offset = 0
    while offset < payload.count, payload[offset] > 0 {
      let end = offset + 1 + Int(payload[offset])
      guard end <= payload.count else { return }
      readStructure(payload[offset + 1], Array(payload[(offset + 2)..<end]))
      offset = end
    }
  }

  private mutating func readStructure(_ type: UInt8, _ value: [UInt8]) {
    switch type {
    case 0x02, 0x03: readServices(value, 2)
    case 0x04, 0x05: readServices(value, 4)
    case 0x06, 0x07: readServices(value, 16)
    case 0x08, 0x09: names.append(value)
    case 0x0A where value.count == 1: txPower = Int(Int8(bitPattern: value[0]))
    case 0x16: readServiceData(value, 2)
    case 0x20: readServiceData(value, 4)
    case 0x21: readServiceData(value, 16)
    case 0xFF where value.count >= 2:
      manufacturers.append((UInt16(value[0]) | UInt16(value[1]) << 8, Array(value[2...])))
    default: break
    }
  }

  private mutating func readServices(_ value: [UInt8], _ size: Int) {
    for start in stride(from: 0, through: value.count - size, by: size) {
      services.append((Self.uuid(Array(value[start..<(start + size)])), nil))
    }
  }

  private mutating func readServiceData(_ value: [UInt8], _ size: Int) {
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

extension ParsedPayload {
  /// Whether every clause of the descriptor holds.
  func matches(_ wanted: DiscoveryDescriptor) -> Bool {
    if let company = wanted.companyIdentifier {
      let data = manufacturers.filter { $0.company == company }.map(\.data)
      guard data.contains(where: { Self.matches($0, wanted.manufacturerData) }) else { return false }
    }
    if let service = wanted.serviceUUID {
      let found = services.filter { $0.uuid == service }
      guard
        found.contains(where: { entry in
          guard let data = entry.data else { return wanted.serviceData == nil }
          return Self.matches(data, wanted.serviceData)
        })
      else { return false }
    }
    guard let name = wanted.nameSubstring else { return true }
    return names.contains { Self.matches($0, name, wanted.nameCompareOptions) }
  }

  private static func matches(_ data: [UInt8], _ wanted: MaskedBytes?) -> Bool {
    guard let wanted else { return true }
    guard data.count >= wanted.blob.count else { return false }
    return wanted.blob.indices.allSatisfy { data[$0] & wanted.mask[$0] == wanted.blob[$0] & wanted.mask[$0] }
  }

  /// Names here are ASCII, where simple case folding is lower case.
  private static func matches(_ name: [UInt8], _ part: [UInt8], _ options: CompareOptions) -> Bool {
    let fold = { (text: [UInt8]) in
      options.contains(.caseInsensitive) ? text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } : text
    }
    let (name, part) = (fold(name), fold(part))
    guard name.count >= part.count else { return false }
    let starts = Array(0...(name.count - part.count))
    let allowed =
      !options.contains(.anchored) ? starts : options.contains(.backwards) ? [starts[starts.count - 1]] : [0]
    return allowed.contains { Array(name[$0..<($0 + part.count)]) == part }
  }
}

extension DisplayItem {
  /// Whether the descriptor or its alternate matches.
  func matches(_ payload: ParsedPayload) -> Bool {
    if descriptor.hasBluetoothClause, payload.matches(descriptor) { return true }
    return alternate.map { $0.hasBluetoothClause && payload.matches($0) } ?? false
  }
}
