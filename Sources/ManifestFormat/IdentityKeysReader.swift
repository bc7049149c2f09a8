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
/// Part H, D.7): with or without `irk:`, `0x` before all or each of its bytes, and colons. Tools that print the bytes in
/// transmission order print the reverse. Base64 is written in either order, and read in both. Only its owner may read
/// the file: see ``FileProtection/ownerReads``.
public enum IdentityKeysReader {
  static let schema: Int64 = 1

  /// Pure. Returns keys or diagnostics for any bytes; no diagnostic contains a key.
  public static func read(text: [UInt8], fileName: String) -> Reading<[IdentityKey]> {
    DocumentReader.read(text: text, fileName: fileName, schema: schema) { root, log in
      let table = TableReader<IdentityFileKey>(root, at: ManifestKeyPath(), log: log)
      table.require(.schema)
      _ = table.integer(.schema, in: schema...schema)
      var seen: Set<DeviceAddress> = []
      let keys = table.tables(.identity).flatMap {
        (entry: TableReader<IdentityEntryKey>) -> [IdentityKey] in
        let keys = entry.identityKeys()
        if let identity = keys.first?.identity, !seen.insert(identity).inserted {
          entry.report(.repeatedAddress, at: .address)
        }
        return keys
      }
      return (keys, [])
    }
  }
}

/// The types an identity address may have (Core Specification 5.4, Volume 6, Part B, 1.3).
private enum IdentityAddressType: String, CaseIterable {
  case `public`, random
}

extension TableReader<IdentityEntryKey> {
  /// The key of one entry; of base64, in either order.
  fileprivate func identityKeys() -> [IdentityKey] {
    for key in IdentityEntryKey.allCases { require(key) }
    var type = IdentityAddressType.public
    read(.addressType, into: &type)
    let bits: UInt64? = value(.address, .address, AddressText.bits)
    let keys = keys()
    guard let bits, !keys.isEmpty else { return [] }
    let address = DeviceAddress(bits: bits, type: type == .public ? .public : .random)
    guard address.lifetime == .durable else {
      report(.notStatic, at: .address)
      return []
    }
    return keys.map { IdentityKey(key: $0, identity: address) }
  }

  private func keys() -> [Block128] {
    guard let written = text(.irk)?.drop(while: \.isWhitespace) else { return [] }
    let text = written.lowercased().hasPrefix("irk:") ? written.dropFirst(4) : written[...]
    let bytes: [UInt8]?
    let digits = Self.digits(text)
    if let digits {
      guard digits.utf8.count == 32 else {
        report(.keyLength(digits: digits.utf8.count), at: .irk)
        return []
      }
      bytes = Hex(digits: digits)?.bytes
    } else {
      bytes = Base64.bytes(text)
    }
    guard let bytes, let key = Block128(bytes) else {
      report(.malformedKey, at: .irk)
      return []
    }
    guard key.high | key.low != 0 else {
      report(.zeroKey, at: .irk)
      return []
    }
    return digits == nil && key != key.reversed ? [key, key.reversed] : [key]
  }

  /// The hexadecimal digits between `0x`, colons, dashes, commas and blanks; nil for anything else.
  private static func digits(_ text: Substring) -> String? {
    let parts = text.lowercased().filter { !":-, ".contains($0) }.split(
      separator: "x", omittingEmptySubsequences: false)
    guard parts.dropLast().allSatisfy({ $0.hasSuffix("0") }) else { return nil }
    let digits = parts.dropLast().map { $0.dropLast() }.joined() + (parts.last ?? "")
    return !digits.isEmpty && digits.utf8.allSatisfy { Hex.value(ofDigit: $0) != nil } ? digits : nil
  }
}

/// RFC 4648, 4 and 5, with or without the padding.
private enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func bytes(_ text: Substring) -> [UInt8]? {
    let characters = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
    var bytes: [UInt8] = []
    var value: UInt32 = 0
    var bitCount: UInt32 = 0
    for character in characters {
      guard let index = alphabet.firstIndex(of: character) ?? [0x2D: 62, 0x5F: 63][character] else {
        return nil
      }
      value = value << 6 | UInt32(index)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: value >> bitCount))
    }
    return bytes
  }
}
