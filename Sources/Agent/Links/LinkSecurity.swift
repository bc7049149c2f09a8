// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

/// How safe the link to an accessory has to be. The kernel connects to a device without a bond too, unencrypted, and
/// begins to pair by itself: so what was asked for is read back.
public struct LinkSecurity: Equatable, Sendable {
  /// The levels of the kernel's sockets (BT_SECURITY), with its values. Its level 4 is above them.
  public enum Level: UInt8, Sendable {
    /// Unencrypted.
    case low = 1
    /// Encrypted with the keys of a bond.
    case medium = 2
    /// The keys are authenticated as well.
    case high = 3
  }

  /// What a link turned out to be.
  public enum Verdict: Sendable {
    case isSafe
    /// Less than what was asked for: the kernel, or the device, lacks the keys of the bond.
    case isUnsafe
    /// The link has ended before it could be read.
    case hasEnded
  }

  public let level: Level
  /// How many bytes the key of the link must have; 0 for a link without encryption.
  public let keyByteCount: UInt8
}

extension LinkSecurity {
  /// A link without encryption.
  static var none: Self { Self(level: .low, keyByteCount: 0) }

  /// Encryption with the keys of a bond, which have to be authenticated where the manifest demands it.
  /// Keys of bluetoothd whose size is not known need all sixteen bytes.
  init(_ bond: BondRecord, demandsAuthentication: Bool) {
    level = demandsAuthentication ? .high : .medium
    keyByteCount =
      bond.keys.longTermKeys.map(\.byteCount).max() ?? bond.foreignKeyByteCount
      ?? LongTermKey.byteCounts.upperBound
  }

  public var isEncrypted: Bool { level != .low }

  /// Judges a link by what the kernel says of it: its level, and how many bytes its key has.
  public func judge(level found: UInt8, keyByteCount foundByteCount: UInt8) -> Verdict {
    guard isEncrypted else { return .isSafe }
    if found < level.rawValue { return .isUnsafe }
    if foundByteCount == 0 { return .hasEnded }
    return foundByteCount < keyByteCount ? .isUnsafe : .isSafe
  }
}
