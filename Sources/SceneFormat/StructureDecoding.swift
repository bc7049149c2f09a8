// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import ManifestFormat
import VirtualRadio

/// One AD structure of a scene (Core Specification 5.4, Volume 3, Part C, 11): always the same, or one for each turn.
struct StructureTurns {
  /// Not empty.
  let turns: [AdvertisingPayload]

  /// How many bytes a structure can hold besides its type.
  private static let valueByteCountMax = 254

  init?(_ table: TableReader<StructureKey>) {
    let subjects = StructureKey.allCases.filter { $0 != .data && table.node($0) != nil }
    guard let subject = subjects.first else {
      table.reportMissing(.noStructure)
      return nil
    }
    guard subjects.count == 1 else {
      table.report(.twoStructures(subject.rawValue, subjects[1].rawValue), at: subjects[1])
      return nil
    }
    guard let turns = Self.turns(of: subject, in: table) else { return nil }
    self.turns = turns
  }

  private static func turns(
    of subject: StructureKey, in table: TableReader<StructureKey>
  ) -> [AdvertisingPayload]? {
    switch subject {
    case .company, .service, .type: return withData(subject, in: table)
    default: break
    }
    if table.node(.data) != nil { table.report(.dataWithoutUse, at: .data) }
    if subject == .raw { return table.bytes(.raw, byteCountMax: 1650)?.map { AdvertisingPayload(raw: $0) } }
    return fixed(subject, in: table).map { [$0] }
  }

  private static func fixed(
    _ subject: StructureKey, in table: TableReader<StructureKey>
  ) -> AdvertisingPayload? {
    let payload = AdvertisingPayload()
    switch subject {
    case .flags: return table.integer(.flags, in: 0...UInt8.max).map { payload.flags($0) }
    case .name: return table.text(.name, byteCountMax: valueByteCountMax - 1).map { payload.name($0) }
    case .shortName:
      return table.text(.shortName, byteCountMax: valueByteCountMax - 1).map { payload.shortenedName($0) }
    case .services: return table.uuids(.services).map { payload.services($0) }
    case .incompleteServices:
      return table.uuids(.incompleteServices).map { payload.incompleteServices($0) }
    case .solicitations: return table.uuids(.solicitations).map { payload.solicitations($0) }
    case .txPower: return table.integer(.txPower, in: Int8.min...Int8.max).map { payload.txPowerLevel($0) }
    case .appearance: return table.integer(.appearance, in: 0...UInt16.max).map { payload.appearance($0) }
    case .company, .service, .type, .data, .raw: preconditionFailure("this has bytes of its own")
    }
  }

  /// A structure that consists of an identifier and data.
  private static func withData(
    _ subject: StructureKey, in table: TableReader<StructureKey>
  ) -> [AdvertisingPayload]? {
    let most = valueByteCountMax - (subject == .service ? 17 : 3)
    let data = table.node(.data) == nil ? [[]] : table.bytes(.data, byteCountMax: most)
    switch subject {
    case .company:
      let company = table.node(.company).flatMap { table.companyIdentifier($0, at: table.path(.company)) }
      guard let company, let data else { return nil }
      return data.map { AdvertisingPayload().manufacturerData(company, $0) }
    case .service:
      let service = table.value(.service, .serviceUUID, IdentifierText.serviceUUID)
      guard let service, let data else { return nil }
      return data.map { AdvertisingPayload().serviceData(service, $0) }
    default:
      guard let type = table.integer(.type, in: 0...UInt8.max), let data else { return nil }
      return data.map { AdvertisingPayload().structure(type, $0) }
    }
  }
}

extension TableReader<StructureKey> {
  /// Hexadecimal bytes, or a list of them, one for each turn.
  fileprivate func bytes(_ key: StructureKey, byteCountMax: Int) -> [[UInt8]]? {
    guard let node = node(key) else { return nil }
    guard case .array(let elements) = node.value else {
      return bytes(node, at: path(key), byteCountMax: byteCountMax).map { [$0] }
    }
    guard !elements.isEmpty else {
      report(.empty, at: key)
      return nil
    }
    let turns = elements.enumerated().compactMap {
      bytes($1, at: path(key).appending(index: $0), byteCountMax: byteCountMax)
    }
    return turns.count == elements.count ? turns : nil
  }

  private func bytes(_ node: TomlNode, at path: ManifestKeyPath, byteCountMax: Int) -> [UInt8]? {
    guard let text = text(node, at: path, byteCountMax: 4096) else { return nil }
    guard let bytes = Hex(digits: text)?.bytes else {
      log.report(.malformed(found: text, expected: .hexadecimal), at: path)
      return nil
    }
    guard bytes.count <= byteCountMax else {
      log.report(.tooLong(byteCount: bytes.count, byteCountMax: byteCountMax), at: path)
      return nil
    }
    return bytes
  }

  /// At most fifteen, because fifteen of the longest fit one structure.
  fileprivate func uuids(_ key: StructureKey) -> [BluetoothUUID]? {
    let found = texts(key).compactMap { text, path -> BluetoothUUID? in
      let uuid = IdentifierText.serviceUUID(text)
      if uuid == nil { log.report(.malformed(found: text, expected: .serviceUUID), at: path) }
      return uuid
    }
    guard found.count <= 15 else {
      report(.tooLong(byteCount: found.count * 16, byteCountMax: 15 * 16), at: key)
      return nil
    }
    return found
  }
}
