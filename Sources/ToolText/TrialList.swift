// SPDX-License-Identifier: GPL-3.0-or-later

public import Explanation
import HCI
import Interfaces
import JSON

/// What an item says about every device: first those that it found, then near misses, then how many others there are.
public struct TrialList {
  private let found: [Trial]
  private let near: [Trial]
  private let others: [Trial]
  /// Whether the others are listed too.
  private let isWhole: Bool

  /// The trials of each device together, the strongest device first. Of a device's identities the one that comes nearest
  /// counts.
  public init(_ devices: [[Trial]], isWhole: Bool) {
    let best = devices.compactMap { trials in
      trials.first(where: \.isFound) ?? trials.first(where: \.holds) ?? trials.first(where: \.isNear)
        ?? trials.first
    }
    found = best.filter(\.isFound)
    near = best.filter { !$0.isFound && $0.isNear }
    others = best.filter { !$0.isFound && !$0.isNear }
    self.isWhole = isWhole
  }

  public func text(_ style: TextStyle = .plain) -> String {
    let listed = found + near + (isWhole ? others : [])
    let lines = listed.map { $0.text(style) }.joined()
    guard !isWhole, !others.isEmpty else { return lines }
    let before = listed.isEmpty ? "" : "other "
    let noun = others.count == 1 ? "device does" : "devices do"
    let hint = listed.isEmpty ? "; --all says of each why" : ""
    return lines + "\(others.count) \(before)\(noun) not match\(hint)\n"
  }
}

extension Trial {
  /// Where the answer starts.
  private static let whyColumn = 36

  /// One line of a table.
  public func text(_ style: TextStyle = .plain) -> String {
    let mark = (isFound ? style.good("yes") : style.bad("no ")) + " "
    let level = (level?.shortText ?? "-").paddedLeft(to: 7)
    let address = (address.text ?? "(anonymous)").padded(to: 17)
    // It may be the agent's word.
    let shown = AirText(Array(why.utf8)).escaped(columnsMax: 200)
    let name = name.map { $0.terminal(columnsMax: 30) + ":" }
    let identity = isAlternate ? "(second identity) " : ""
    let words = [name].compactMap(\.self) + (identity + shown).split(separator: " ").map(String.init)
    return style.tableLine("\(mark) \(address) \(level) dBm  ", words, at: Self.whyColumn)
  }
}

extension Decibels {
  /// One decimal, rounded half up as whole dBm are: `-43.9`.
  package var shortText: String { Self.text((sixteenths * 10 + 8) >> 4, decimals: 1) }
}
