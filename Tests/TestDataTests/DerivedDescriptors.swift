// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest

/// A descriptor that a record's own fields suggest, with the ones that must and must not find it.
struct DerivedDescriptor {
  let label: String
  /// Hold on the record.
  var holding: [DiscoveryDescriptor]
  /// The same with one bit flipped that counts.
  var missing: [DiscoveryDescriptor]

  /// One for each company and its data, each service, each service's data, and the name.
  static func all(of fields: RecordedFields) -> [DerivedDescriptor] {
    fields.companies.map { company($0.identifier, in: fields) }
      + fields.companies.filter { !$0.data.isEmpty }.map { manufacturerData($0.identifier, $0.data) }
      + fields.allServices.map { service($0, in: fields) }
      + fields.keyedData.filter { !$0.data.isEmpty }.map { serviceData($0.uuid, $0.data) } + name(in: fields)
  }

  private static func company(_ identifier: UInt16, in fields: RecordedFields) -> Self {
    let others = (0..<16).map { (bit: Int) -> UInt16 in identifier ^ (1 as UInt16) << bit }
      .filter { other in !fields.companies.contains { $0.identifier == other } }
    return Self(label: "company", holding: [keyed(company: identifier)], missing: others.map(keyed(company:)))
  }

  private static func manufacturerData(_ identifier: UInt16, _ data: [UInt8]) -> Self {
    derived("manufacturer data", data) { masked in
      var descriptor = keyed(company: identifier)
      descriptor.manufacturerData = masked
      return descriptor
    }
  }

  private static func service(_ uuid: BluetoothUUID, in fields: RecordedFields) -> Self {
    let others = stride(from: 0, to: 64, by: 5).flatMap { (bit: Int) -> [BluetoothUUID] in
      let flipped: UInt64 = 1 << bit
      return [
        BluetoothUUID(high: uuid.high ^ flipped, low: uuid.low),
        BluetoothUUID(high: uuid.high, low: uuid.low ^ flipped),
      ]
    }.filter { !fields.allServices.contains($0) }
    return Self(label: "service", holding: [keyed(service: uuid)], missing: others.map(keyed(service:)))
  }

  private static func serviceData(_ uuid: BluetoothUUID, _ data: [UInt8]) -> Self {
    derived("service data", data) { masked in
      var descriptor = keyed(service: uuid)
      descriptor.serviceData = masked
      return descriptor
    }
  }

  /// The exact data, and for each byte with a bit flipped: it misses, and holds where the mask has a hole there.
  private static func derived(
    _ label: String, _ data: [UInt8], _ make: (MaskedBytes?) -> DiscoveryDescriptor
  ) -> Self {
    var result = Self(label: label, holding: [make(MaskedBytes(blob: data))], missing: [])
    let everyBit = [UInt8](repeating: 0xFF, count: data.count)
    for (blob, mask) in zip(flipped(data), flipped(everyBit)) {
      result.missing.append(make(MaskedBytes(blob: blob)))
      result.holding.append(make(MaskedBytes(blob: blob, mask: mask)))
    }
    return result
  }

  /// The bytes with one bit flipped: another bit of each byte in turn.
  private static func flipped(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.indices.map { index in
      var other = bytes
      other[index] ^= 1 << UInt8(index % 8)
      return other
    }
  }

  /// The middle of the name, without zeros at its end, beside the first key there is.
  private static func name(in fields: RecordedFields) -> [Self] {
    let name = Array((fields.name ?? "").utf8.reversed().drop { $0 == 0 }.reversed())
    guard let key = key(of: fields), !name.isEmpty else { return [] }
    let middle = Array(name[(name.count / 4)..<max(1, name.count - name.count / 4)])
    return [
      Self(
        label: "name", holding: [named(middle, key)],
        missing: flipped(middle).filter { !contains(name, $0) }.map { named($0, key) })
    ]
  }

  private static func key(of fields: RecordedFields) -> DiscoveryDescriptor? {
    if let company = fields.companies.first { return keyed(company: company.identifier) }
    return fields.allServices.first.map(keyed(service:))
  }

  private static func named(_ substring: [UInt8], _ key: DiscoveryDescriptor) -> DiscoveryDescriptor {
    var descriptor = key
    descriptor.nameSubstring = substring
    return descriptor
  }

  private static func contains(_ name: [UInt8], _ part: [UInt8]) -> Bool {
    (0...(name.count - part.count)).contains { Array(name[$0..<($0 + part.count)]) == part }
  }

  private static func keyed(company: UInt16) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    descriptor.companyIdentifier = company
    return descriptor
  }

  private static func keyed(service: BluetoothUUID) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    descriptor.serviceUUID = service
    return descriptor
  }
}

extension RecordedFields {
  /// Listed services and keys of service data, each once.
  var allServices: [BluetoothUUID] {
    (services + keyedData.map(\.uuid)).reduce(into: []) { all, uuid in
      if !all.contains(uuid) { all.append(uuid) }
    }
  }
}

extension GatewayManifest {
  /// One item for each descriptor.
  init(_ descriptors: [DiscoveryDescriptor]) {
    self.init()
    var app = App(name: "test", account: .user("test"))
    app.items = descriptors.enumerated().map { index, descriptor in
      var item = DisplayItem(id: "\(index)", name: "\(index)")
      item.descriptor = descriptor
      return item
    }
    apps = [app]
    gateway.capacities.devices = 4
    gateway.capacities.longPayloads = 2
    gateway.capacities.reassemblies = 1
    gateway.capacities.events = 1
    gateway.capacities.eventBytes = 1
  }
}
