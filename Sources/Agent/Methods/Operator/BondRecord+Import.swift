// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Varlink

extension BondRecord {
  /// Reads a bond that an operator hands over, and whose it is.
  static func imported(
    _ parameters: Parameters
  ) throws(OperatorError) -> (identity: DeviceAddress, BondRecord) {
    let line: ImportedBondLine
    do throws(JSONMemberError) { line = try ImportedBondLine(reading: parameters.reader) } catch {
      throw .invalid(field: error.path, reason: "it is not of the form that the interface says")
    }
    guard let bits = AddressText.bits(line.device) else {
      throw .invalid(field: "device", reason: "an address has six pairs of digits, AA:BB:CC:DD:EE:FF")
    }
    guard let record = BondRecord(line) else {
      throw .invalid(field: "longTermKeys", reason: "the keys are not those of a bond of this owner")
    }
    return (DeviceAddress(bits: bits, type: line.addressType == .random ? .random : .public), record)
  }

  /// nil when the keys are not what a bond of this owner has.
  private init?(_ line: ImportedBondLine) {
    var keys = BondKeys()
    keys.identityKey = line.identityKey.flatMap { KeyValue($0.bytes) }
    switch line.owner {
    case .bluetoothd:
      // Only the identity key of such a bond is known.
      guard keys.identityKey != nil, line.longTermKeys.isEmpty, line.linkKey == nil else { return nil }
      self.init(owner: .bluetoothd, isAuthenticated: line.isAuthenticated ?? false, keys: keys)
    case .gateway:
      keys.longTermKeys = line.longTermKeys.compactMap(LongTermKey.init)
      keys.linkKey = line.linkKey.flatMap(LinkKey.init)
      guard !keys.longTermKeys.isEmpty, keys.longTermKeys.count == line.longTermKeys.count, keys.areStorable
      else { return nil }
      self.init(
        owner: .gateway, isAuthenticated: keys.longTermKeys.allSatisfy(\.isAuthenticated), keys: keys)
    }
  }
}

extension LongTermKey {
  fileprivate init?(_ line: LongTermKeyLine) {
    guard let value = KeyValue(line.value.bytes) else { return nil }
    self.init(
      kind: line.kind, central: line.isCentral ? 1 : 0, byteCount: line.byteCount,
      diversifier: line.diversifier, random: UInt64(bigEndian: line.random.bytes.reversed()),
      value: value)
  }
}

extension LinkKey {
  fileprivate init?(_ line: ImportedBondLine.LinkKey) {
    guard let value = KeyValue(line.value.bytes) else { return nil }
    self.init(kind: line.kind, pinByteCount: line.pinByteCount, value: value)
  }
}
