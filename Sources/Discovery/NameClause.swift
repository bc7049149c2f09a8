// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// How a name is searched: the `NSString.CompareOptions` that a descriptor may carry, with Foundation's raw values.
///
/// Names are compared as bytes, where NSString compares canonically equivalent text; `literal` therefore changes
/// nothing and is carried.
public struct NameOptions: Equatable, Sendable, BitwiseCopyable {
  public var rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static var none: Self { Self(rawValue: 0) }
  public static var caseInsensitive: Self { Self(rawValue: 1) }
  public static var literal: Self { Self(rawValue: 2) }
  public static var backwards: Self { Self(rawValue: 4) }
  public static var anchored: Self { Self(rawValue: 8) }

  public func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }
  public func union(_ other: Self) -> Self { Self(rawValue: rawValue | other.rawValue) }
}

/// Whether a local name contains what a descriptor asks for.
public enum NameClause {
  /// Searches a name for `substring`: anywhere, at the start (`anchored`), or at the end (`anchored`, `backwards`).
  public static func matches(_ name: RawSpan, _ substring: RawSpan, _ options: NameOptions) -> Bool {
    let isFolded = options.contains(.caseInsensitive)
    if options.contains(.anchored) {
      return options.contains(.backwards)
        ? hasSuffix(name, substring, isFolded) : prefixEnd(name, substring, isFolded) != nil
    }
    for start in 0...name.byteCount where isBorder(name, start, isFolded) {
      if prefixEnd(name.extracting(droppingFirst: start), substring, isFolded) != nil { return true }
    }
    return false
  }

  private static func hasSuffix(_ name: RawSpan, _ substring: RawSpan, _ isFolded: Bool) -> Bool {
    for start in 0...name.byteCount where isBorder(name, start, isFolded) {
      let rest = name.extracting(droppingFirst: start)
      if prefixEnd(rest, substring, isFolded) == rest.byteCount { return true }
    }
    return false
  }

  /// Folded text is compared by scalars, which do not start at continuation bytes.
  private static func isBorder(_ name: RawSpan, _ offset: Int, _ isFolded: Bool) -> Bool {
    !isFolded || offset == name.byteCount || name.uint8(at: offset) & 0xC0 != 0x80
  }

  /// Where `prefix` ends in `text` when `text` starts with it.
  private static func prefixEnd(_ text: RawSpan, _ prefix: RawSpan, _ isFolded: Bool) -> Int? {
    guard isFolded else { return text.starts(with: prefix) ? prefix.byteCount : nil }
    var left = ScalarCursor(text)
    var right = ScalarCursor(prefix)
    while let wanted = right.next() {
      guard let found = left.next(), CaseFolding.fold(found) == CaseFolding.fold(wanted) else { return nil }
    }
    return left.position
  }
}

/// Reads UTF-8 scalar by scalar; a byte that is not well-formed stands for itself, above every scalar.
struct ScalarCursor: ~Escapable {
  private let bytes: RawSpan
  private(set) var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) { self.bytes = bytes }

  /// The next scalar value, or 0x110000 plus the byte where the text is ill-formed (Unicode 15, table 3-7).
  mutating func next() -> UInt32? {
    guard position < bytes.byteCount else { return nil }
    let first = UInt32(bytes.uint8(at: position))
    let (count, smallest): (Int, UInt32) =
      switch first {
      case 0x00..<0x80: (1, 0)
      case 0xC2..<0xE0: (2, 0x80)
      case 0xE0..<0xF0: (3, 0x800)
      case 0xF0..<0xF5: (4, 0x1_0000)
      default: (0, 0)
      }
    guard let scalar = scalar(first, byteCount: count), scalar >= smallest, scalar < 0x11_0000,
      !(0xD800..<0xE000).contains(scalar)
    else {
      position += 1
      return 0x11_0000 + first
    }
    position += count
    return scalar
  }

  private func scalar(_ first: UInt32, byteCount count: Int) -> UInt32? {
    guard count > 0, position + count <= bytes.byteCount else { return nil }
    guard count > 1 else { return first }
    var value = first & (0x7F >> UInt32(count))
    for index in 1..<count {
      let byte = UInt32(bytes.uint8(at: position + index))
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value << 6 | byte & 0x3F
    }
    return value
  }
}
