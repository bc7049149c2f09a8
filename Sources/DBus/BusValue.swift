// SPDX-License-Identifier: Apache-2.0

/// A value, with the letters of its type (D-Bus specification 0.43, "Type system").
public enum BusValue: Equatable, Sendable {
  /// A number (y b n q i u x t d h) by its bits. That of a descriptor (h) is its place among those of the message.
  case number(Unicode.Scalar, UInt64)
  /// A string (s), an object path (o), or a signature (g).
  case text(Unicode.Scalar, String)
  /// An array of bytes.
  case bytes([UInt8])
  /// Another array, with the type of its elements.
  case array(of: String, [BusValue])
  /// A structure, or an entry of a dictionary.
  case structure([BusValue])
  indirect case variant(BusValue)

  public static func bool(_ isTrue: Bool) -> BusValue { .number("b", isTrue ? 1 : 0) }
  public static func uint32(_ number: UInt32) -> BusValue { .number("u", UInt64(number)) }
  public static func string(_ text: String) -> BusValue { .text("s", text) }
  public static func objectPath(_ path: String) -> BusValue { .text("o", path) }

  /// A dictionary of variants, a{sv}.
  public static func dictionary(_ entries: KeyValuePairs<String, BusValue>) -> BusValue {
    .array(of: "{sv}", entries.map { .structure([.string($0.key), .variant($0.value)]) })
  }

  /// The letters of its type.
  public var type: String {
    switch self {
    case .number(let type, _), .text(let type, _): String(type)
    case .bytes: "ay"
    case .array(let element, _): "a\(element)"
    case .structure(let parts): "(\(parts.map(\.type).joined()))"
    case .variant: "v"
    }
  }

  /// How many bytes a number of this type has, and at whose multiples it begins; nil for what is no number.
  static func byteCount(of type: Unicode.Scalar) -> Int? {
    switch type {
    case "y": 1
    case "n", "q": 2
    case "b", "i", "u", "h": 4
    case "x", "t", "d": 8
    default: nil
    }
  }

  // Readers of a value, which look into a variant.

  /// The value in a variant; any other value itself.
  public var content: BusValue { if case .variant(let value) = self { value.content } else { self } }

  public var number: UInt64? { if case .number(_, let bits) = content { bits } else { nil } }
  public var bool: Bool? { if case .number("b", let bits) = content { bits != 0 } else { nil } }
  public var string: String? { if case .text("s", let text) = content { text } else { nil } }
  public var objectPath: String? { if case .text("o", let path) = content { path } else { nil } }
  /// Empty for anything but an array of bytes.
  public var bytes: [UInt8] { if case .bytes(let bytes) = content { bytes } else { [] } }
  /// Empty for anything but an array.
  public var elements: [BusValue] { if case .array(_, let elements) = content { elements } else { [] } }

  /// The entries of a dictionary.
  public var entries: [(key: BusValue, value: BusValue)] {
    elements.compactMap { element in
      guard case .structure(let parts) = element, parts.count == 2 else { return nil }
      return (parts[0], parts[1])
    }
  }

  /// The value of a key of a dictionary.
  public subscript(_ key: String) -> BusValue? { entries.first { $0.key.string == key }?.value }
}
