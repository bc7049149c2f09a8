// SPDX-License-Identifier: GPL-3.0-or-later

/// A value of the D-Bus specification (0.43, "Type system"). A variant is its value.
indirect enum BusValue: Equatable, Sendable {
  case bool(Bool)
  /// Every integer, and a double as its bits.
  case number(UInt64)
  /// A string, an object path, or a signature.
  case string(String)
  case array([BusValue])
  /// A structure, or an entry of a dictionary.
  case structure([BusValue])

  var string: String? { if case .string(let string) = self { string } else { nil } }
  var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  var number: UInt64? { if case .number(let number) = self { number } else { nil } }

  /// Empty for anything but an array.
  var elements: [BusValue] { if case .array(let elements) = self { elements } else { [] } }

  /// The bytes of an array of bytes.
  var bytes: [UInt8] { elements.compactMap { $0.number.flatMap(UInt8.init(exactly:)) } }

  /// The entries of a dictionary.
  var entries: [(key: BusValue, value: BusValue)] {
    elements.compactMap { element in
      guard case .structure(let parts) = element, parts.count == 2 else { return nil }
      return (parts[0], parts[1])
    }
  }

  /// The value of a key of a dictionary.
  subscript(_ key: String) -> BusValue? { entries.first { $0.key.string == key }?.value }
}
