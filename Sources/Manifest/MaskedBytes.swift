// SPDX-License-Identifier: GPL-3.0-or-later

/// Bytes to compare, and a mask of the bits that count.
///
/// A payload matches when `(payload[i] & mask[i]) == (blob[i] & mask[i])` for every index of the blob; a shorter
/// payload never matches.
public struct MaskedBytes: Hashable, Sendable {
  /// The expected bytes of the payload.
  public let blob: [UInt8]
  /// As long as the blob; a set bit is compared.
  public let mask: [UInt8]

  /// Every bit of the blob counts.
  public init(blob: [UInt8]) {
    self.blob = blob
    self.mask = [UInt8](repeating: 0xFF, count: blob.count)
  }

  /// Returns nil if the lengths differ.
  public init?(blob: [UInt8], mask: [UInt8]) {
    guard blob.count == mask.count else { return nil }
    self.blob = blob
    self.mask = mask
  }

  /// How many bits are compared.
  public var maskBitCount: Int { mask.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// Whether a payload matches.
  public func holds(_ payload: [UInt8]) -> Bool {
    payload.count >= blob.count && zip(zip(payload, blob), mask).allSatisfy { $0.0 & $1 == $0.1 & $1 }
  }

  /// Whether a payload could match both.
  public func isCompatible(with other: MaskedBytes) -> Bool {
    for index in 0..<min(blob.count, other.blob.count) {
      let both = mask[index] & other.mask[index]
      if blob[index] & both != other.blob[index] & both { return false }
    }
    return true
  }
}
