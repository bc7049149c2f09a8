// SPDX-License-Identifier: GPL-3.0-or-later

/// The forms that names in configuration files may have.
extension String {
  /// 1 to 64 letters, digits, dots, dashes and underscores of ASCII, the first a letter or digit: safe as a label of
  /// a metric, as a file's name, and on a command line.
  package var isIdentifier: Bool {
    guard let first = utf8.first, first.isASCIIAlphanumeric, utf8.count <= 64 else { return false }
    return utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-".utf8.contains($0) }
  }

  /// Whether the account database can hold the name.
  package var isAccountName: Bool {
    utf8.count <= 32 && utf8.first != UInt8(ascii: "-")
      && utf8.allSatisfy { $0.isASCIIGraphic && !":,/".utf8.contains($0) }
  }

  /// Whether the kernel accepts the name for a network interface (`dev_valid_name`): under 16 bytes.
  package var isInterfaceName: Bool {
    utf8.count < 16 && self != "." && self != ".."
      && utf8.allSatisfy { $0.isASCIIGraphic && !"/:".utf8.contains($0) }
  }

  /// Whether the text may be a name in `/sys/bus/*/devices`.
  var isDeviceName: Bool {
    utf8.count <= 64 && utf8.first != UInt8(ascii: ".")
      && utf8.allSatisfy { $0.isASCIIGraphic && $0 != UInt8(ascii: "/") }
  }

  var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") && !utf8.contains(0) }

  /// Lower-case letters and digits, with a dash for everything else: an item's id if the manifest gives none.
  package var slug: String {
    let words = lowercased().utf8.split { !$0.isASCIIAlphanumeric }
    return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
  }

  /// Returns the text after a prefix; nil if it is empty.
  func remainder(after prefix: String) -> String? {
    guard hasPrefix(prefix), utf8.count > prefix.utf8.count, !utf8.contains(0) else { return nil }
    return String(dropFirst(prefix.count))
  }
}

extension UInt8 {
  fileprivate var isASCIIGraphic: Bool { (0x21...0x7E).contains(self) }

  fileprivate var isASCIIAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
