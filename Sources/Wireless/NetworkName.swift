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
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private let length: UInt8

  /// The name with these bytes, or nil when there are more than 32.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count <= Self.byteCountMax else { return nil }
    length = UInt8(bytes.count)
    for (index, byte) in bytes.enumerated() { self[wordOf: index] |= UInt64(byte) << UInt64(index % 8 * 8) }
  }

  /// The name in borrowed bytes, or nil when there are more than 32.
  public init?(_ bytes: RawSpan) {
    guard bytes.byteCount <= Self.byteCountMax else { return nil }
    length = UInt8(bytes.byteCount)
    for index in 0..<bytes.byteCount {
      self[wordOf: index] |= UInt64(bytes.uint8(at: index)) << UInt64(index % 8 * 8)
    }
  }

  public var byteCount: Int { Int(length) }

  /// The bytes as they are on the air.
  public var bytes: [UInt8] { (0..<byteCount).map(byte(at:)) }

  /// Whether the network hides its name: it sends no bytes, or NUL bytes only. Such a name matches nothing.
  public var isHidden: Bool { words == (0, 0, 0, 0) }

  /// Whether the bytes of this name come before those of another, in the order of dictionaries.
  public func precedes(_ other: NetworkName) -> Bool {
    for index in stride(from: 0, to: Self.byteCountMax, by: 8)
    where self[wordOf: index] != other[wordOf: index] {
      return self[wordOf: index].byteSwapped < other[wordOf: index].byteSwapped
    }
    return length < other.length
  }

  public static func == (left: NetworkName, right: NetworkName) -> Bool {
    left.length == right.length && left.words == right.words
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(length)
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }

  private func byte(at index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: self[wordOf: index] >> UInt64(index % 8 * 8))
  }

  private subscript(wordOf index: Int) -> UInt64 {
    get {
      switch index / 8 {
      case 0: words.0
      case 1: words.1
      case 2: words.2
      default: words.3
      }
    }
    set {
      switch index / 8 {
      case 0: words.0 = newValue
      case 1: words.1 = newValue
      case 2: words.2 = newValue
      default: words.3 = newValue
      }
    }
  }
}
