// SPDX-License-Identifier: GPL-3.0-or-later

/// How good bytes were damaged.
public struct Damage: Equatable, CustomStringConvertible {
  public enum Kind: Equatable {
    case cut
    case flippedBit(Int)
  }

  public let kind: Kind
  /// The first byte that changed.
  public let offset: Int

  public var description: String {
    switch kind {
    case .cut: "cut before byte \(offset)"
    case .flippedBit(let bit): "bit \(bit) of byte \(offset) flipped"
    }
  }
}

/// Calls `body` with every prefix of `bytes`, from none of them to all but the last.
public func withEveryPrefix(
  of bytes: [UInt8], _ body: ([UInt8], Damage) throws -> Void
) rethrows {
  for end in bytes.indices { try body(Array(bytes[..<end]), Damage(kind: .cut, offset: end)) }
}

/// Calls `body` with `bytes` once for every bit in them, that bit flipped.
public func withEveryBitFlip(
  of bytes: [UInt8], _ body: ([UInt8], Damage) throws -> Void
) rethrows {
  var damaged = bytes
  for offset in bytes.indices {
    for bit in 0..<8 {
      damaged[offset] ^= 1 << UInt8(bit)
      try body(damaged, Damage(kind: .flippedBit(bit), offset: offset))
      damaged[offset] ^= 1 << UInt8(bit)
    }
  }
}

/// Calls `body` with every prefix and every flipped bit.
public func withEveryDamage(
  of bytes: [UInt8], _ body: ([UInt8], Damage) throws -> Void
) rethrows {
  try withEveryPrefix(of: bytes, body)
  try withEveryBitFlip(of: bytes, body)
}
