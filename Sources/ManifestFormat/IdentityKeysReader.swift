// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest

/// Reads the identity keys of devices that change their address.
///
///     schema = 1
///
///     [[identity]]
///     address = "C0:11:22:33:44:55"            # the device's identity address
///     address-type = "random"                  # static random; or "public"
///     irk = "ec0234a357c8ad05341010a60a397d9b"
///
/// The key is written with its most significant byte first, as in the Core Specification's sample data (Volume 3,
/// Part H, D.7). Tools that print the bytes in transmission order print the reverse. Only its owner may read the file: see ``FileProtection/ownerReads``.
public enum IdentityKeysReader {
  static let schema: Int64 = 1

  /// Pure. Returns keys or diagnostics for any bytes; no diagnostic contains a key.
  public static func read(text: [UInt8], fileName: String) -> Reading<[IdentityKey]> {
    DocumentReader.read(text: text, fileName: fileName, schema: schema) { root, log in
      let table = TableReader<IdentityFileKey>(root, at: ManifestKeyPath(), log: log)
      table.require(.schema)
      _ = table.integer(.schema, in: schema...schema)
      var seen: Set<DeviceAddress> = []
      let keys = table.tables(.identity).compactMap {
        (entry: TableReader<IdentityEntryKey>) -> IdentityKey? in
        guard let key = IdentityKey(entry) else { return nil }
        if !seen.insert(key.identity).inserted { entry.report(.repeatedAddress, at: .address) }
        return key
      }
      return (keys, [])
    }
  }
}

/// The types an identity address may have (Core Specification 5.4, Volume 6, Part B, 1.3).
private enum IdentityAddressType: String, CaseIterable {
  case `public`, random
}

extension IdentityKey {
  fileprivate init?(_ table: TableReader<IdentityEntryKey>) {
    for key in IdentityEntryKey.allCases { table.require(key) }
    var type = IdentityAddressType.public
    table.read(.addressType, into: &type)
    let bits = table.value(.address, .address, AddressText.bits)
    guard let key = table.key(), let bits else { return nil }
    let address = DeviceAddress(bits: bits, type: type == .public ? .public : .random)
    guard address.lifetime == .durable else {
      table.report(.notStatic, at: .address)
      return nil
    }
    self.init(key: key, identity: address)
  }
}

extension TableReader<IdentityEntryKey> {
  fileprivate func key() -> Block128? {
    guard let text = text(.irk) else { return nil }
    guard text.utf8.count == 32, let high = HexText.value(text.prefix(16)),
      let low = HexText.value(text.suffix(16))
    else {
      report(.malformedSecret(expected: .identityKey), at: .irk)
      return nil
    }
    guard high | low != 0 else {
      report(.zeroKey, at: .irk)
      return nil
    }
    return Block128(high: high, low: low)
  }
}
