// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistryFormat
import RegistrySupport
import Testing

@Suite("The bytes of a bond")
struct BondBytesTests {
  /// Records with each combination of keys.
  private static let records: [BondRecord] = {
    var full = Rows.bond()
    full.keys.longTermKeys.append(
      LongTermKey(
        kind: 1, central: 1, byteCount: 7, diversifier: 0x1234, random: 0x0123_4567_89AB_CDEF,
        value: Rows.key(2)))
    full.keys.linkKey = LinkKey(kind: 8, pinByteCount: 16, value: Rows.key(3))
    var linkOnly = BondRecord(owner: .bluetoothd, isAuthenticated: true)
    linkOnly.keys.linkKey = full.keys.linkKey
    var foreign = Rows.foreignBond
    foreign.hasForeignLinkKey = true
    return [
      BondRecord(owner: .gateway, isAuthenticated: false), Rows.bond(isAuthenticated: false), full, linkOnly,
      foreign,
    ]
  }()

  @Test("A record reads as it was written", arguments: records)
  func roundTrip(record: BondRecord) {
    #expect(record.bytes.count <= 95)
    #expect(BondRecord(record.bytes, owner: record.owner) == record)
  }

  @Test("A prefix is no record, and neither is one with a further byte", arguments: records)
  func prefixes(record: BondRecord) {
    let bytes = record.bytes
    for count in 0..<bytes.count { #expect(BondRecord(Array(bytes.prefix(count)), owner: .gateway) == nil) }
    #expect(BondRecord(bytes + [0], owner: .gateway) == nil)
    #expect(BondRecord([UInt8](repeating: 1, count: BondRecord.byteCountMax + 1), owner: .gateway) == nil)
  }

  @Test("With any bit flipped, what is read could be stored and is written the same", arguments: records)
  func flippedBits(record: BondRecord) {
    for bit in 0..<record.bytes.count * 8 {
      var bytes = record.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let read = BondRecord(bytes, owner: record.owner) else { continue }
      #expect(read != record && read.keys.areStorable && read.bytes == bytes)
    }
  }

  @Test("Another version, unknown flags and too many keys are refused")
  func unknown() {
    #expect(BondRecord([1, 0, 0], owner: .gateway) != nil)
    for bytes: [UInt8] in [
      [0, 0, 0], [2, 0, 0], [1, 8, 0], [1, 0x80, 0], [1, 0, 3] + [UInt8](repeating: 0, count: 87),
    ] {
      #expect(BondRecord(bytes, owner: .gateway) == nil)
    }
  }

  @Test("A lost bond of an older file has no keys, and a bond with damaged ones is an error")
  func rows() throws {
    var device = RegistryDevice(
      number: 1, identity: .bluetooth(Rows.address(1)), displayName: "Lumo", isIdentityDurable: true)
    device.bond = .bonded(Rows.bond())
    let table = RegistryTable.device
    let stored = RegistryRow.device(device).values
    func read(_ bond: String, _ keys: Value, byteCount: Value = .null) throws(ColumnError) -> Bond? {
      var values = stored
      for (index, column) in table.columns.enumerated() {
        if column.name == "bond" { values[index] = .text(bond) }
        if column.name == "bondKeyByteCount" { values[index] = byteCount }
        if column.name == "bondKeys" { values[index] = keys }
      }
      guard case .device(let device) = try RegistryRow(values, of: table) else {
        return nil
      }
      return device.bond
    }
    let unknown = BondRecord(owner: .gateway, isAuthenticated: false)
    #expect(try read("lost", .null) == .lost(unknown))
    #expect(try read("foreign", .null) == .bonded(Rows.foreignBond))
    #expect(try read("foreignLost", .null) == .lost(Rows.foreignBond))
    for (bond, keys) in [
      ("bonded", Value.null), ("none", .bytes([1, 0, 0])), ("other", .null), ("lost", .bytes([1])),
      ("bonded", .bytes([0xDE, 0xAD])), ("bonded", .bytes([])),
    ] {
      #expect(throws: ColumnError.self) { try read(bond, keys) }
    }
    for (bond, byteCount) in [
      ("none", Value.integer(16)), ("lost", .integer(16)), ("foreign", .integer(6)),
      ("foreign", .integer(17)),
      ("foreignLost", .integer(-1)), ("foreign", .text("16")),
    ] {
      #expect(throws: ColumnError.self) {
        try read(bond, .null, byteCount: byteCount)
      }
    }
    var sized = Rows.foreignBond
    sized.foreignKeyByteCount = 7
    for bond in [
      Bond.lost(Rows.bond()), .bonded(sized), .lost(sized), .lost(Rows.foreignBond),
      .bonded(Rows.foreignBond), .none,
    ] {
      device.bond = bond
      let values = RegistryRow.device(device).values
      #expect(try RegistryRow(values, of: table) == .device(device))
    }
  }
}
