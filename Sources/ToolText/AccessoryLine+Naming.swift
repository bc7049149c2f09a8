// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces
import Manifest

/// Why what a person wrote does not name one accessory.
public enum AccessoryNameError: Error, Equatable {
  case unknown
  case ambiguous([AccessoryLine])
}

extension AccessoryLine {
  /// Digits that are enough to ask for an accessory.
  public static let prefixLengthMin = 4

  /// Whether a person may mean it: by the beginning of its identifier, its name, or its device's address.
  package func isMeant(by text: String) -> Bool {
    if displayName == text { return true }
    if let bits = AddressText.bitsInAnySpelling(text), address?.bits == bits { return true }
    return text.utf8.count >= Self.prefixLengthMin && identifier.hasPrefix(text.lowercased())
  }

  /// `app/item`, safe on a terminal; the app alone when it supplied the item.
  public func owner(columnsMax: Int = AirText.columnsMax) -> String {
    AirText(Array((item.map { "\(app)/\($0)" } ?? app).utf8)).escaped(columnsMax: columnsMax)
  }

  /// `"Desk lamp" (lights/bulb, C4:A1:00:00:1E:27, 01234567)`, safe on a terminal.
  public func description(identifier: String) -> String {
    let name = AirText(Array(displayName.utf8)).terminal()
    return "\(name) (\([owner(), address?.text, identifier].compactMap(\.self).joined(separator: ", ")))"
  }
}

extension [AccessoryLine] {
  /// The one accessory that a person means. A whole identifier means one, whatever others are called; a name is looked
  /// for in any case when none has it as it is written.
  public func accessory(named text: String) throws(AccessoryNameError) -> AccessoryLine {
    if let whole = first(where: { $0.identifier == text.lowercased() }) { return whole }
    var meant = filter { $0.isMeant(by: text) }
    if meant.isEmpty { meant = filter { $0.displayName.lowercased() == text.lowercased() } }
    guard let first = meant.first else { throw .unknown }
    guard meant.count == 1 else { throw .ambiguous(meant) }
    return first
  }

  /// For each of them, the beginning of its identifier that no other one has: eight digits or more.
  public var shortIdentifiers: [String] {
    let order = indices.sorted { self[$0].identifier < self[$1].identifier }
    let texts = order.map { self[$0].identifier }
    var short = [String](repeating: "", count: count)
    for (place, index) in order.enumerated() {
      let before = place > 0 ? texts[place].commonLength(with: texts[place - 1]) : 0
      let after = place + 1 < texts.count ? texts[place].commonLength(with: texts[place + 1]) : 0
      short[index] = String(texts[place].prefix(Swift.max(8, before + 1, after + 1)))
    }
    return short
  }

  /// In the order of a list: by app, item, name, and identifier.
  public var listed: [AccessoryLine] { sorted { $0.order < $1.order } }
}

extension AccessoryLine {
  fileprivate var order: (String, String, String, String) { (app, item ?? "", displayName, identifier) }
}

extension String {
  fileprivate func commonLength(with other: String) -> Int {
    zip(utf8, other.utf8).prefix { $0 == $1 }.count
  }
}
