// SPDX-License-Identifier: GPL-3.0-or-later

/// A connection profile of NetworkManager (nm-settings-keyfile(5)): a GLib key file, of which only the name of a wireless
/// network is read.
///
/// The name is text, in which `\;` stands for a semicolon, or a list of decimal bytes, each with a semicolon after it.
public enum NetworkManagerProfile {
  /// Groups and their older names.
  private static let wirelessGroups: Set<String> = ["wifi", "802-11-wireless"]

  /// Returns the name of the network that the profile joins; nil for a profile of another kind, for an access point of
  /// its own, and for one without a name that can be read.
  public static func ssid(in bytes: [UInt8]) -> [UInt8]? {
    var group = ""
    var ssid: [UInt8]?
    var isInfrastructure = true
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if line.first == UInt8(ascii: "["), let end = line.lastIndex(of: UInt8(ascii: "]")) {
        group = String(decoding: line[..<end].dropFirst(), as: UTF8.self)
      } else if wirelessGroups.contains(group), let equals = line.firstIndex(of: UInt8(ascii: "=")) {
        let key = String(decoding: line[..<equals], as: UTF8.self).filter { $0 != " " }
        let value = line[line.index(after: equals)...].drop { $0 == UInt8(ascii: " ") }
        switch key {
        case "ssid": ssid = name(value)
        case "mode": isInfrastructure = value.elementsEqual("infrastructure".utf8)
        default: break
        }
      }
    }
    return isInfrastructure ? ssid : nil
  }

  private static func name(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    let text = unescaped(value)
    guard !text.isEmpty else { return nil }
    return list(text) ?? withSemicolons(text)
  }

  /// A GLib key file's escapes: `\s`, `\n`, `\t`, `\r` and `\\`. Any other backslash stands for itself.
  private static func unescaped(_ value: ArraySlice<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    var rest = value
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let next = rest.first else {
        text.append(byte)
        continue
      }
      switch next {
      case UInt8(ascii: "s"): text.append(UInt8(ascii: " "))
      case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "r"): text.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "\\"): text.append(byte)
      default:
        text.append(byte)
        continue
      }
      rest.removeFirst()
    }
    return text
  }

  /// The bytes of a list such as `75;195;188;`; nil for anything else.
  private static func list(_ text: [UInt8]) -> [UInt8]? {
    guard text.last == UInt8(ascii: ";") else { return nil }
    var bytes: [UInt8] = []
    for part in text.dropLast().split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      let digits = part.drop { $0 == UInt8(ascii: " ") }
      guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
        let byte = UInt8(String(decoding: digits, as: UTF8.self))
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func withSemicolons(_ text: [UInt8]) -> [UInt8] {
    var name: [UInt8] = []
    for byte in text {
      if byte == UInt8(ascii: ";"), name.last == UInt8(ascii: "\\") { name.removeLast() }
      name.append(byte)
    }
    return name
  }
}
