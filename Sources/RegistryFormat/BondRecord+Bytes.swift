// SPDX-License-Identifier: GPL-3.0-or-later

internal import HCI
package import Registry

extension BondRecord {
  /// More than a record has: 95 bytes with two long term keys, an identity key and a link key.
  package static let byteCountMax = 512

  private static let version: UInt8 = 1

  /// What the second byte says; its other bits are zero.
  private enum Flag {
    static let authenticated: UInt8 = 1
    static let identityKey: UInt8 = 2
    static let linkKey: UInt8 = 4
    static let foreignLinkKey: UInt8 = 8
    static let all: UInt8 = 15
  }

  /// The record as the registry stores it, without its owner and the size of foreign keys, which have columns of their
  /// own.
  ///
  /// Version, flags, number of long term keys, one byte each. Then the ``LongTermKey/bytes`` of each. Then the identity
  /// key (16) and the link key: kind, PIN length, value (16), if the flags say that they are there.
  package var bytes: [UInt8] {
    var flags: UInt8 = isAuthenticated ? Flag.authenticated : 0
    if keys.identityKey != nil { flags |= Flag.identityKey }
    if keys.linkKey != nil { flags |= Flag.linkKey }
    if hasForeignLinkKey { flags |= Flag.foreignLinkKey }
    var bytes = [Self.version, flags, UInt8(keys.longTermKeys.count)]
    for key in keys.longTermKeys { bytes += key.bytes }
    if let identityKey = keys.identityKey { bytes += identityKey.bytes }
    if let linkKey = keys.linkKey { bytes += [linkKey.kind, linkKey.pinByteCount] + linkKey.value.bytes }
    return bytes
  }

  /// Returns nil unless the bytes are exactly a record that could be stored.
  package init?(_ bytes: [UInt8], owner: BondOwner) {
    guard bytes.count <= Self.byteCountMax else { return nil }
    var cursor = ByteCursor(bytes.span.rawBytes)
    guard cursor.uint8() == Self.version, let flags = cursor.uint8(), flags & ~Flag.all == 0,
      let count = cursor.uint8(), count <= BondKeys.longTermKeysMax
    else { return nil }
    self.init(owner: owner, isAuthenticated: flags & Flag.authenticated != 0)
    for _ in 0..<count {
      guard let key = LongTermKey(cursor.array(LongTermKey.encodedByteCount)) else { return nil }
      keys.longTermKeys.append(key)
    }
    if flags & Flag.identityKey != 0 {
      guard let key = KeyValue(cursor.array(KeyValue.byteCount)) else { return nil }
      keys.identityKey = key
    }
    if flags & Flag.linkKey != 0 {
      guard let kind = cursor.uint8(), let pinByteCount = cursor.uint8(),
        let value = KeyValue(cursor.array(KeyValue.byteCount))
      else { return nil }
      keys.linkKey = LinkKey(kind: kind, pinByteCount: pinByteCount, value: value)
    }
    hasForeignLinkKey = flags & Flag.foreignLinkKey != 0
    guard cursor.byteCount == 0, isStorable else { return nil }
  }
}

extension ByteCursor {
  /// The next `count` bytes, copied; those that are left if there are fewer.
  fileprivate mutating func array(_ count: Int) -> [UInt8] { (0..<count).compactMap { _ in uint8() } }
}
