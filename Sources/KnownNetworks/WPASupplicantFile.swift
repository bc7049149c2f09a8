// SPDX-License-Identifier: GPL-3.0-or-later

/// A configuration of wpa_supplicant (wpa_supplicant.conf(5)), of which only the names of networks are read.
///
/// A name is text in quotes, hexadecimal digits, or `P"…"` with escapes as in C.
public enum WPASupplicantFile {
  /// Returns the names in the blocks `network={ … }`, in the order of the file. A block may have none: it joins any network.
  /// A block of an access point of its own, of an ad hoc or mesh network, and of a Wi-Fi Direct group, is left out.
  public static func names(in bytes: [UInt8]) -> StoredNames {
    var names = StoredNames()
    var block: Block?
    for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      let text = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      if text.starts(with: "network={".utf8) {
        names.appendTorn(block)
        block = Block()
      } else if text.first == UInt8(ascii: "}") {
        if let block { names.append(block.joined) }
        block = nil
      } else if text.starts(with: "ssid=".utf8) {
        // Only a network has a name: outside one, the beginning of its block is damaged.
        if block == nil { names.append(nil) }
        block?.names.append(name(text.dropFirst("ssid=".utf8.count)))
      } else if text.starts(with: "mode=".utf8) {
        block?.mode = String(decoding: unquoted(text.dropFirst("mode=".utf8.count)), as: UTF8.self)
      } else if text.starts(with: "disabled=".utf8) {
        block?.isGroup = unquoted(text.dropFirst("disabled=".utf8.count)).elementsEqual("2".utf8)
      }
    }
    names.appendTorn(block)
    return names
  }

  /// What a block says of its network.
  fileprivate struct Block {
    private static let infrastructure = "0"
    /// Ad hoc, access point, owner of a Wi-Fi Direct group, the same while it forms, and mesh.
    private static let otherModes: Set<String> = ["1", "2", "3", "4", "5"]

    var mode = infrastructure
    /// `disabled=2`: a Wi-Fi Direct group that the machine joins again, whatever its mode.
    var isGroup = false
    var names = StoredNames()

    /// The names of a network that the machine joins.
    var joined: StoredNames {
      guard !isGroup, !Self.otherModes.contains(mode) else { return StoredNames() }
      var joined = names
      if mode != Self.infrastructure { joined.isDamaged = true }
      return joined
    }
  }

  /// A value without quotes ends at a blank or a comment.
  private static func unquoted(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    value.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "#") }
  }

  private static func name(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    let quote = UInt8(ascii: "\"")
    if value.first == quote {
      // As wpa_supplicant does: the name ends at the last quote, and may have quotes.
      guard let end = value.lastIndex(of: quote), end > value.startIndex else { return nil }
      return Array(value[..<end].dropFirst())
    }
    if value.starts(with: "P\"".utf8) {
      guard let end = value.lastIndex(of: quote), end > value.startIndex + 1 else { return nil }
      return unescaped(value[..<end].dropFirst(2))
    }
    return HexadecimalName.bytes(unquoted(value))
  }

  /// The escapes of C that wpa_supplicant prints: `\n`, `\r`, `\t`, `\e`, `\"`, `\\`, `\xHH` and octal `\0` to `\377`. nil for
  /// any other.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var name: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        name.append(byte)
        continue
      }
      guard let next = rest.popFirst() else { return nil }
      switch next {
      case UInt8(ascii: "n"): name.append(0x0A)
      case UInt8(ascii: "r"): name.append(0x0D)
      case UInt8(ascii: "t"): name.append(0x09)
      case UInt8(ascii: "e"): name.append(0x1B)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): name.append(next)
      case UInt8(ascii: "x"):
        guard let byte = HexadecimalName.bytes(rest.prefix(2)), byte.count == 1 else { return nil }
        name += byte
        rest = rest.dropFirst(2)
      case 0x30...0x37:
        let digits = [next] + rest.prefix(2).prefix { (0x30...0x37).contains($0) }
        rest = rest.dropFirst(digits.count - 1)
        guard let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) else { return nil }
        name.append(value)
      default: return nil
      }
    }
    return name
  }
}

extension StoredNames {
  /// Adds a block that has no end, if there is one.
  fileprivate mutating func appendTorn(_ block: WPASupplicantFile.Block?) {
    guard let block else { return }
    append(block.joined)
    isDamaged = true
  }
}
