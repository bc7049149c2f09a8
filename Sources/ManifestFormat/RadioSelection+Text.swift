// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

extension RadioSelection {
  /// `any`, `hci0`, an address, `btsnoop:FILE` or `h4:PATH`.
  public init?(text: String) {
    if text == "any" {
      self = .any
    } else if let digits = text.remainder(after: "hci"), let index = UInt16(digits), String(index) == digits {
      self = .index(index)
    } else if let file = text.remainder(after: "btsnoop:") {
      self = .btsnoop(file)
    } else if let path = text.remainder(after: "h4:") {
      self = .h4(path)
    } else if let bits = AddressText.bits(text) {
      self = .address(bits)
    } else {
      return nil
    }
  }

  /// Returns the scene file of `virtual:FILE`, a form that the agent no longer accepts.
  public static func simulatedScene(_ text: String) -> String? { text.remainder(after: "virtual:") }

  /// The same form again.
  public var text: String {
    switch self {
    case .any: "any"
    case .index(let index): "hci\(index)"
    case .address(let bits): AddressText.text(of: bits)
    case .btsnoop(let file): "btsnoop:" + file
    case .h4(let path): "h4:" + path
    }
  }
}
