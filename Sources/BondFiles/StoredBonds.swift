// SPDX-License-Identifier: GPL-3.0-or-later

import BlueZ
public import HCI
public import LinuxSystem
import Manifest
public import Registry

/// The Low Energy bonds that bluetoothd has stored. Only root may read them.
public struct StoredBonds: Sendable {
  /// A bond of an adapter with a device.
  public struct Entry: Equatable, Sendable {
    /// The adapter's public address, in 48 bits.
    public let adapter: UInt64
    /// The device's identity address: `public` or `random`.
    public let identity: DeviceAddress
    /// With all keys; the owner is the gateway, as when it takes the bond over.
    public let record: BondRecord
  }

  /// A file that cannot be used.
  public struct FileDiagnostic: Equatable, Sendable {
    public let path: String
    /// The adapter's public address and the device's address, in 48 bits each.
    public let adapter: UInt64
    public let device: UInt64
    public let error: StoredBondError
  }

  /// In the order of the folders' names.
  public private(set) var entries: [Entry] = []
  public private(set) var damages: [FileDiagnostic] = []

  /// Reads a folder such as `/var/lib/bluetooth`. Devices without a Low Energy bond are passed over.
  public init(in folder: String) throws(SystemError) {
    for adapter in try FolderContents.names(in: folder) {
      guard let bits = AddressText.bits(adapter) else { continue }
      for name in try FolderContents.names(in: "\(folder)/\(adapter)") {
        guard let address = AddressText.bits(name) else { continue }
        read("\(folder)/\(adapter)/\(name)/info", adapter: bits, address)
      }
    }
  }

  /// Reads the bytes of a file `info`: the type of the device's address, and its bond; nil for a device without a Low
  /// Energy bond.
  public static func bond(
    inFile bytes: [UInt8]
  ) throws(StoredBondError) -> (type: AddressType, record: BondRecord)? {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .unreadable }
    let info = InfoFile(text)
    guard let record = try info.bond() else { return nil }
    guard let type = info.addressType else { throw .value("AddressType", group: "General") }
    return (type, record)
  }

  private mutating func read(_ path: String, adapter: UInt64, _ address: UInt64) {
    do throws(StoredBondError) {
      let contents: FileContents
      do throws(FileError) {
        contents = try FileContents(ofFile: path, byteCountMax: InfoFile.byteCountMax)
      } catch {
        // A device that was only seen has no file.
        if case .system(let error) = error, error.isMissing { return }
        throw .unreadable
      }
      guard let (type, record) = try Self.bond(inFile: contents.bytes) else { return }
      entries.append(
        Entry(adapter: adapter, identity: DeviceAddress(bits: address, type: type), record: record))
    } catch {
      damages.append(FileDiagnostic(path: path, adapter: adapter, device: address, error: error))
    }
  }
}

/// Why a bond in a file of bluetoothd cannot be used. It never has a key in it.
public struct StoredBondError: Error, Equatable, Sendable {
  /// What is wrong, as the second half of a sentence.
  public let reason: String

  /// The file cannot be read, is too large, or is not text.
  public static let unreadable = Self(reason: "it cannot be read")
  public static func value(_ name: String, group: String) -> Self {
    Self(reason: "\(name) of [\(group)] is missing or damaged")
  }
  public static let debugKey = Self(reason: "its keys are debug keys, which are no secret")
}

extension InfoFile {
  /// The bond; nil when the file has no key of Low Energy. The names are those of bluetoothd's src/adapter.c.
  func bond() throws(StoredBondError) -> BondRecord? {
    var keys = BondKeys()
    if let key = try longTermKey("LongTermKey", central: 1) { keys.longTermKeys.append(key) }
    // The second name is the older one; newer versions write both.
    for group in ["PeripheralLongTermKey", "SlaveLongTermKey"] {
      guard let key = try longTermKey(group, central: 0) else { continue }
      keys.longTermKeys.append(key)
      break
    }
    guard !keys.longTermKeys.isEmpty else { return nil }
    let identity = "IdentityResolvingKey"
    if groups[identity] != nil { keys.identityKey = try key("Key", of: identity) }
    keys.linkKey = try linkKey()
    guard keys.areStorable else { throw .debugKey }
    return BondRecord(
      owner: .gateway, isAuthenticated: keys.longTermKeys.allSatisfy(\.isAuthenticated), keys: keys)
  }

  private func longTermKey(_ group: String, central: UInt8) throws(StoredBondError) -> LongTermKey? {
    guard groups[group] != nil else { return nil }
    return LongTermKey(
      kind: try number("Authenticated", of: group, in: 0...4), central: central,
      byteCount: try number("EncSize", of: group, in: 7...16),
      diversifier: try number("EDiv", of: group, in: 0...UInt16.max),
      random: try number("Rand", of: group, in: 0...UInt64.max), value: try key("Key", of: group))
  }

  private func linkKey() throws(StoredBondError) -> LinkKey? {
    let group = "LinkKey"
    guard groups[group] != nil else { return nil }
    return LinkKey(
      kind: try number("Type", of: group, in: 0...8),
      pinByteCount: try number("PINLength", of: group, in: 0...16),
      value: try key("Key", of: group))
  }

  private func number<Value: FixedWidthInteger>(
    _ name: String, of group: String, in range: ClosedRange<Value>
  ) throws(StoredBondError) -> Value {
    guard let text = value(name, of: group), !text.hasPrefix("+"), let number = Value(text),
      range.contains(number)
    else {
      throw .value(name, group: group)
    }
    return number
  }

  /// Sixteen bytes, the least significant first, as hexadecimal digits.
  private func key(_ name: String, of group: String) throws(StoredBondError) -> KeyValue {
    let digits = Array((value(name, of: group) ?? "").utf8)
    guard digits.count == 2 * KeyValue.byteCount, !digits.contains(UInt8(ascii: "+")) else {
      throw .value(name, group: group)
    }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16) else {
        throw .value(name, group: group)
      }
      bytes.append(byte)
    }
    guard let key = KeyValue(bytes) else { throw .value(name, group: group) }
    return key
  }
}
