// SPDX-License-Identifier: GPL-3.0-or-later

/// What an advertiser's two payloads say, decoded into plain arrays by code that shares nothing with the data path
/// (Core Specification Supplement, Part A, 1; AD types from the Assigned Numbers, 2.3).
struct NaiveFields {
  /// Company identifier and what follows it.
  var manufacturerData: [(company: Int, data: [UInt8])] = []
  /// The key in its 128-bit form and what follows it.
  var serviceData: [(uuid: [UInt8], data: [UInt8])] = []
  /// Listed services in their 128-bit form.
  var services: [[UInt8]] = []
  var names: [[UInt8]] = []

  init(_ payloads: [UInt8]...) {
    for payload in payloads { read(payload) }
  }

  private mutating func read(_ payload: [UInt8]) {
    var rest = payload[...]
    while let length = rest.first, length > 0, rest.count > Int(length) {
      let structure = Array(rest.dropFirst().prefix(Int(length)))
      readStructure(type: structure[0], value: Array(structure.dropFirst()))
      rest = rest.dropFirst(1 + Int(length))
    }
  }

  private mutating func readStructure(type: UInt8, value: [UInt8]) {
    switch type {
    case 0x02, 0x03: addServices(value, of: 2)
    case 0x04, 0x05: addServices(value, of: 4)
    case 0x06, 0x07: addServices(value, of: 16)
    case 0x08, 0x09: names.append(Array(value.reversed().drop { $0 == 0 }.reversed()))
    case 0x16: addServiceData(value, key: 2)
    case 0x20: addServiceData(value, key: 4)
    case 0x21: addServiceData(value, key: 16)
    case 0xFF where value.count >= 2:
      manufacturerData.append((Int(value[0]) + 256 * Int(value[1]), Array(value[2...])))
    default: break
    }
  }

  private mutating func addServices(_ value: [UInt8], of size: Int) {
    for start in stride(from: 0, through: value.count - size, by: size) {
      services.append(Self.fullForm(Array(value[start..<(start + size)])))
    }
  }

  private mutating func addServiceData(_ value: [UInt8], key size: Int) {
    guard value.count >= size else { return }
    serviceData.append((Self.fullForm(Array(value.prefix(size))), Array(value.dropFirst(size))))
  }

  /// The sixteen bytes of a UUID, least significant first.
  static func fullForm(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count < 16 else { return bytes }
    let base: [UInt8] = [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00]
    return base + bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
  }
}
