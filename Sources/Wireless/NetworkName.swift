// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// A network's name (SSID): 0 to 32 bytes of any value, NUL bytes included (IEEE 802.11-2020, 9.4.2.2).
///
/// Names are compared and hashed as bytes. The bytes are stored inline.
public struct NetworkName: Hashable, Sendable, BitwiseCopyable {
  /// The bytes of a name, at most.
  public static let byteCountMax = 32

  /// Byte `n` of the name is byte `n % 8`, counted from the least significant, of word `n / 8`. Bytes past the end are
  /// 0.
  private var words = InlineArray<4, UInt64>(repeating: 0)
  private let length: UInt8

  /// The name with these bytes, or nil when there are more than 32.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count <= Self.byteCountMax else { return nil }
    length = UInt8(bytes.count)
    for (index, byte) in bytes.enumerated() { words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8) }
  }

  /// The name in borrowed bytes, or nil when there are more than 32.
  public init?(_ bytes: RawSpan) {
    guard bytes.byteCount <= Self.byteCountMax else { return nil }
    length = UInt8(bytes.byteCount)
    for index in 0..<bytes.byteCount {
      words[index / 8] |= UInt64(bytes.uint8(at: index)) << UInt64(index % 8 * 8)
    }
  }

  public var byteCount: Int { Int(length) }

  /// The bytes as they are on the air.
  public var bytes: [UInt8] { (0..<byteCount).map(byte(at:)) }

  /// Whether the network hides its name: it sends no bytes, or NUL bytes only. Such a name matches nothing.
  public var isHidden: Bool { words.indices.allSatisfy { words[$0] == 0 } }

  /// Whether the bytes of this name come before those of another, in the order of dictionaries.
  public func precedes(_ other: NetworkName) -> Bool {
    for index in words.indices where words[index] != other.words[index] {
      return words[index].byteSwapped < other.words[index].byteSwapped
    }
    return length < other.length
  }

  public static func == (left: NetworkName, right: NetworkName) -> Bool {
    left.length == right.length && left.words.indices.allSatisfy { left.words[$0] == right.words[$0] }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(length)
    for index in words.indices { hasher.combine(words[index]) }
  }

  private func byte(at index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: words[index / 8] >> UInt64(index % 8 * 8))
  }
}
