// SPDX-License-Identifier: GPL-3.0-or-later

import BlueZ
import BondFiles
import Foundation
import HCI
import LinuxSystem
import Registry
import Testing

@Suite("The bonds that bluetoothd has stored")
struct StoredBondsTests {
  /// What BlueZ 5.66 writes after Just Works with a device that has a private address.
  private static let info = """
    [IdentityResolvingKey]
    Key=EC0234A357C8AD05341010A60A397D9B

    [PeripheralLongTermKey]
    Key=F2B7B40E56B1F9CAC9E215029233F476
    Authenticated=2
    EncSize=16
    EDiv=0
    Rand=0

    [SlaveLongTermKey]
    Key=F2B7B40E56B1F9CAC9E215029233F476
    Authenticated=2
    EncSize=16
    EDiv=0
    Rand=0

    [General]
    AddressType=static
    Name=Lumo lock

    """
  private static let adapter = "00:11:22:33:44:55"
  private static let lock = "C4:A1:00:00:1E:27"

  /// Reads a folder with these files.
  private func read(_ files: [(adapter: String, device: String, info: [UInt8])]) throws -> StoredBonds {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bonds-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for file in files {
      let path = "\(folder)/\(file.adapter)/\(file.device)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data(file.info).write(to: URL(fileURLWithPath: path + "/info"))
    }
    return try StoredBonds(in: folder)
  }

  private func read(_ info: String) throws -> StoredBonds {
    try read([(Self.adapter, Self.lock, Array(info.utf8))])
  }

  private func changed(_ text: String, to other: String) -> String {
    Self.info.replacingOccurrences(of: text, with: other)
  }

  @Test("A bond has its keys as bluetoothd writes them, and one key of Secure Connections")
  func good() throws {
    let bonds = try read(Self.info)
    let entry = try #require(bonds.entries.first)
    #expect(bonds.entries.count == 1 && bonds.damages.isEmpty)
    #expect(entry.adapter == 0x0011_2233_4455)
    #expect(entry.identity == DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random))
    #expect(entry.record.owner == .gateway && !entry.record.isAuthenticated)
    #expect(entry.record.keys.identityKey?.bytes.prefix(2) == [0xEC, 0x02])
    let key = try #require(entry.record.keys.longTermKeys.first)
    #expect(entry.record.keys.longTermKeys.count == 1)
    #expect(key.kind == 2 && key.central == 0 && key.byteCount == 16)
    #expect(key.value.bytes.prefix(2) == [0xF2, 0xB7])
    #expect(entry.record.keys.linkKey == nil)
  }

  @Test("Legacy pairing has a key for each side, and a dual-mode device a key for BR/EDR")
  func legacy() throws {
    let text =
      changed("Authenticated=2", to: "Authenticated=1")
        + """
        [LongTermKey]
        Key=000102030405060708090a0b0c0d0e0f
        Authenticated=1
        EncSize=7
        EDiv=65535
        Rand=18446744073709551615

        [LinkKey]
        Key=000102030405060708090A0B0C0D0E0F
        Type=8
        PINLength=0
        """
    let record = try #require(try read(text).entries.first?.record)
    #expect(record.isAuthenticated && record.keys.longTermKeys.map(\.central) == [1, 0])
    let key = record.keys.longTermKeys[0]
    #expect(key.byteCount == 7 && key.diversifier == .max && key.random == .max)
    #expect(record.keys.linkKey?.kind == 8 && record.keys.linkKey?.pinByteCount == 0)
    #expect(record.keys.areStorable)
  }

  @Test("Devices without a Low Energy bond, and folders that are no devices, are passed over")
  func passedOver() throws {
    let bonds = try read([
      (Self.adapter, Self.lock, Array("[General]\nAddressType=static\n".utf8)),
      (Self.adapter, "cache", Array(Self.info.utf8)), ("lost+found", Self.lock, Array(Self.info.utf8)),
      (Self.adapter, "00:11:22:33:44:77", Array("[General]\nName=Phone\n[LinkKey]\nKey=00\n".utf8)),
    ])
    #expect(bonds.entries.isEmpty && bonds.damages.isEmpty)
    #expect(throws: SystemError.self) { try StoredBonds(in: "/nowhere") }
  }

  @Test(
    "A damaged value is named, and the other bonds are read",
    arguments: [
      ("Key=F2B7B40E56B1F9CAC9E215029233F476", "Key=F2B7", "Key"),
      ("Key=F2B7B40E56B1F9CAC9E215029233F476", "Key=G2B7B40E56B1F9CAC9E215029233F476", "Key"),
      ("Key=F2B7B40E56B1F9CAC9E215029233F476", "Key=+2B7B40E56B1F9CAC9E215029233F476", "Key"),
      ("EncSize=16", "EncSize=17", "EncSize"), ("EncSize=16", "", "EncSize"),
      ("Authenticated=2", "Authenticated=5", "Authenticated"), ("EDiv=0", "EDiv=65536", "EDiv"),
      ("Rand=0", "Rand=-1", "Rand"),
    ])
  func damaged(text: String, other: String, name: String) throws {
    let bonds = try read([
      (Self.adapter, Self.lock, Array(changed(text, to: other).utf8)),
      (Self.adapter, "C4:A1:00:00:1E:28", Array(Self.info.utf8)),
    ])
    #expect(bonds.entries.map(\.identity.bits) == [0xC4A1_0000_1E28])
    #expect(bonds.damages.map(\.error) == [.value(name, group: "PeripheralLongTermKey")])
    #expect(bonds.damages.first?.path.hasSuffix("\(Self.lock)/info") == true)
    let reason = try #require(bonds.damages.first?.error.reason.uppercased())
    #expect(!reason.contains("F2B7") && !reason.contains("2B7B"), "no part of a key is printed")
  }

  /// A file with every group.
  private static let full =
    info
      + """
      [LongTermKey]
      Key=000102030405060708090a0b0c0d0e0f
      Authenticated=2
      EncSize=7
      EDiv=65535
      Rand=18446744073709551615

      [LinkKey]
      Key=000102030405060708090A0B0C0D0E0F
      Type=7
      PINLength=0
      """

  /// Every four digits in a row of the keys in the file.
  private static let keyParts = [
    "EC0234A357C8AD05341010A60A397D9B", "F2B7B40E56B1F9CAC9E215029233F476",
    "000102030405060708090A0B0C0D0E0F",
  ].flatMap { key in (0...key.count - 4).map { String(key.dropFirst($0).prefix(4)) } }

  /// Reads bytes: a bond that can be stored, none, or an error that shows no part of a key.
  private func check(_ bytes: [UInt8]) -> BondRecord? {
    do throws(StoredBondError) {
      guard let (_, record) = try StoredBonds.bond(inFile: bytes) else { return nil }
      #expect(record.keys.areStorable)
      return record
    } catch {
      #expect(
        !Self.keyParts.contains { error.reason.uppercased().contains($0) }, "no part of a key is printed")
      return nil
    }
  }

  @Test("Every beginning of a file is a bond, none, or an error")
  func torn() {
    let bytes = Array(Self.full.utf8)
    let records = (0...bytes.count).map { check(Array(bytes.prefix($0))) }
    #expect(records.first == .some(nil) && records.last != .some(nil))
  }

  @Test("A file with a flipped bit is a bond, none, or an error")
  func flippedBits() {
    let bytes = Array(Self.full.utf8)
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      _ = check(flipped)
    }
  }

  @Test("Debug keys, a bond without the type of its address, and files that are no text are refused")
  func refused() throws {
    let debug = try read(changed("Authenticated=2", to: "Authenticated=4"))
    #expect(debug.entries.isEmpty && debug.damages.map(\.error) == [.debugKey])
    let classic = try read(Self.full.replacingOccurrences(of: "Type=7", with: "Type=3"))
    #expect(classic.entries.isEmpty && classic.damages.map(\.error) == [.debugKey])
    let torn = try read(changed("[General]", to: "[Gener"))
    #expect(torn.entries.isEmpty && torn.damages.map(\.error) == [.value("AddressType", group: "General")])
    let noText = try read([(Self.adapter, Self.lock, [0xFF, 0xFE])])
    #expect(noText.damages.map(\.error) == [.unreadable])
    let large = try read([(Self.adapter, Self.lock, [UInt8](repeating: 0x61, count: 1 << 17))])
    #expect(large.damages.map(\.error) == [.unreadable])
  }
}
