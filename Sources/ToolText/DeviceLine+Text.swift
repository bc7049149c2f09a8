// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Explanation
import HCI
public import Interfaces

extension DeviceLine {
  /// Above the lines of ``text(_:)``.
  public static let textHeader = "    dBm  address            reports    silent  name, items\n"

  /// One line of a table; items that have not found the device stand in parentheses.
  public func text(_ style: TextStyle = .plain) -> String {
    let level = (filteredRSSI.map { "\($0)" } ?? "-").paddedLeft(to: 7)
    let address = style.strong((address.text ?? "(anonymous)").padded(to: 17))
    let reports = "\(reports)".paddedLeft(to: 8)
    let silent = "\(silence.text(decimals: 1)) s".paddedLeft(to: 10)
    var words = name.map { [$0.terminal(columnsMax: 30)] } ?? []
    let companies = AdvertisementFields(data.span.rawBytes).manufacturerData.map(\.companyIdentifier)
    words += companies.compactMap(style.vendor).prefix(1)
    words += itemWords
    let pace = DevicePace.text(
      intervalMilliseconds: intervalMilliseconds, rhythmMilliseconds: rhythmMilliseconds)
    if let pace, !pace.hasPrefix("every") || (intervalMilliseconds ?? rhythmMilliseconds ?? 0) >= 10_000 {
      words.append("(\(pace))")
    }
    if let values = values.text { words.append(values) }
    let heard = "\(level)  \(address) \(reports)\(silent)"
    guard !words.isEmpty else { return heard + "\n" }
    return style.tableLine("\(heard)  ", words, at: Self.wordsColumn)
  }

  /// The items, with semicolons where one of them says when it found the device.
  private var itemWords: [String] {
    let parts = items.map { item in
      let id = AirText(Array("\(item.app)/\(item.item)".utf8)).escaped()
      guard let found = item.history?.sentence("found") else { return [item.isFound ? id : "(\(id))"] }
      return ["\(id):"] + found.split(separator: " ").map(String.init)
    }
    let separator = parts.contains { $0.count > 1 } ? ";" : ""
    return parts.enumerated().flatMap { place, words in
      place + 1 < parts.count ? words.dropLast() + [words[words.count - 1] + separator] : words
    }
  }

  /// Where names and items start.
  private static let wordsColumn = 47
}

extension [ValueLine] {
  /// Values as a text for terminals; nil for none.
  var text: String? { ValueLine.text(of: self).map { AirText([UInt8]($0.utf8)).escaped() } }
}

extension CandidateLine {
  /// For instance "in bursts, every 60 s".
  public var pace: String? {
    guard rhythmMilliseconds != nil else { return nil }
    return DevicePace.text(intervalMilliseconds: intervalMilliseconds, rhythmMilliseconds: rhythmMilliseconds)
  }
}

extension DeviceLine {
  /// Strongest first, without a reading last, then by address.
  public static func areStrongestFirst(_ one: DeviceLine, _ other: DeviceLine) -> Bool {
    one.order < other.order
  }

  private var order: (Int, UInt64, UInt8) {
    (filteredRSSI.map { -Int($0) } ?? .max, address.bits, address.type.rawValue)
  }
}
