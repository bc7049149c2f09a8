// SPDX-License-Identifier: GPL-3.0-or-later

public import AgentCore

extension RadioSelection {
  /// `any`, `hci0`, an address, `virtual:FILE`, `btsnoop:FILE` or `h4:PATH`.
  public init?(text: String) {
    if text == "any" {
      self = .any
    } else if let digits = text.remainder(after: "hci"), let index = UInt16(digits), String(index) == digits {
      self = .index(index)
    } else if let file = text.remainder(after: "virtual:") {
      self = .virtual(file)
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
}
