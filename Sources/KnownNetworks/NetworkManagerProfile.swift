// SPDX-License-Identifier: GPL-3.0-or-later

/// A connection profile of NetworkManager (nm-settings-keyfile(5)): a GLib key file, of which only type, mode
/// and name of a wireless network are read.
///
/// The name is text, in which `\;` stands for a semicolon, or a list of decimal bytes, each with a semicolon after it.
public enum NetworkManagerProfile {
  /// The group and the type of wireless networks, and their older name.
  private static let wireless: Set<String> = ["wifi", "802-11-wireless"]
  private static let infrastructure = "infrastructure"
  private static let otherModes: Set<String> = ["ap", "adhoc", "mesh"]

  /// Returns the name of the network that the profile joins. A profile of another type, and one of an access point of its own,
  /// has none.
  public static func names(in bytes: [UInt8]) -> StoredNames {
    var profile = Profile()
    for line in bytes.split(separator: UInt8(ascii: "\n")) { profile.receive(line) }
    return profile.names
  }

  /// What a profile says of its network, line by line.
  private struct Profile {
    private var group: String?
    private var type: String?
    private var mode = infrastructure
    private var ssid: [UInt8]?
    private var isWireless = false
    private var isMalformed = false

    mutating func receive(_ wholeLine: ArraySlice<UInt8>) {
      var line = wholeLine.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      guard let first = line.first, first != UInt8(ascii: "#") else { return }
      if first == UInt8(ascii: "[") {
        guard let end = line.lastIndex(of: UInt8(ascii: "]")) else { return endGroup() }
        let name = String(decoding: line[..<end].dropFirst(), as: UTF8.self)
        group = name
        if wireless.contains(name) { isWireless = true }
      } else if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
        let key = String(decoding: line[..<equals], as: UTF8.self).filter { $0 != " " }
        receive(key, line[line.index(after: equals)...].drop { $0 == UInt8(ascii: " ") })
      } else {
        isMalformed = true
      }
    }

    /// The beginning of a group that cannot be read: its keys belong to none.
    private mutating func endGroup() {
      group = nil
      isMalformed = true
    }

    private mutating func receive(_ key: String, _ value: ArraySlice<UInt8>) {
      switch (group, key) {
      case ("connection", "type"): type = String(decoding: value, as: UTF8.self)
      case (let group?, "ssid") where wireless.contains(group): ssid = name(value)
      case (let group?, "mode") where wireless.contains(group):
        mode = value.isEmpty ? infrastructure : String(decoding: value, as: UTF8.self)
      default: break
      }
    }

    var names: StoredNames {
      var names = StoredNames()
      if let type, !wireless.contains(type) { return names }
      // Without a type, NetworkManager goes by the groups.
      if type == nil, !isWireless {
        names.isDamaged = isMalformed || group == nil
      } else if !otherModes.contains(mode) {
        names.append(ssid)
        if isMalformed || mode != infrastructure { names.isDamaged = true }
      }
      return names
    }
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
