// SPDX-License-Identifier: Apache-2.0

/// The name of an interface: `[A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+`.
///
/// The specification's grammar has lower-case letters only; `io.accessoryd.Gateway`, like the interfaces of systemd,
/// has others too, and every known implementation takes them.
package enum InterfaceName {
  package static let byteCountMax = 255

  package static func isValid(_ name: String) -> Bool {
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.count >= 2 && name.utf8.count <= byteCountMax
      && labels[0].first?.isLetter == true && labels.allSatisfy(isLabel)
  }

  /// Whether it can name a type, a method or an error: `[A-Z][A-Za-z0-9]*`.
  package static func isMember(_ name: String) -> Bool {
    name.utf8.first?.isUpper == true && name.utf8.count <= byteCountMax
      && name.utf8.allSatisfy(\.isLetterOrDigit)
  }

  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    label.first?.isLetterOrDigit == true && label.last?.isLetterOrDigit == true
      && label.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
  }
}

extension UInt8 {
  package var isUpper: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
  package var isLower: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
  package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
  package var isLetter: Bool { isUpper || isLower }
  package var isLetterOrDigit: Bool { isLetter || isDigit }
}
