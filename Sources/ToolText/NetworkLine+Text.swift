// SPDX-License-Identifier: GPL-3.0-or-later

public import Explanation
public import Interfaces
import Manifest

extension NetworkLine {
  /// Above the lines of ``text(_:)``.
  public static let textHeader = "    dBm  address            security     last seen  name, items\n"

  /// One line of a table; items that have not found the network stand in parentheses.
  public func text(_ style: TextStyle = .plain) -> String {
    let level = (signal.map { "\($0)" } ?? "-").paddedLeft(to: 7)
    let address = style.strong(AirText(Array(bssid.utf8)).escaped(columnsMax: 17).padded(to: 17))
    let seen = "\(silence.text(decimals: 1)) s".paddedLeft(to: 10)
    var words = [ssid.terminal()]
    if radios > 1 { words.append("(\(radios) radios)") }
    words += items.map { item in
      let id = AirText(Array("\(item.app)/\(item.item)".utf8)).escaped()
      return item.isFound ? id : "(\(id))"
    }
    let start = "\(level)  \(address)  \(security.rawValue.padded(to: 10))\(seen)"
    return style.tableLine("\(start)  ", words, at: Self.wordsColumn)
  }

  /// Where the name and the items start.
  private static let wordsColumn = 50
}

extension NetworkEventLine {
  /// One line. `clock` says when, or else the line's own time.
  public func text(_ style: TextStyle = .plain, clock: String? = nil) -> String {
    let clock = (clock ?? time.text(decimals: 3)).paddedLeft(to: 9)
    let word = event.rawValue.padded(to: 8)
    let colored =
      switch event {
      case .found: style.good(word)
      case .lost: style.bad(word)
      }
    let level = signal.map { "\($0) dBm" } ?? "-"
    return
      "\(clock) \(colored) \(Self.shown(app, item)) network \(ssid.terminal()) \(level)  \(reason.rawValue)\n"
  }

  fileprivate static func shown(_ app: String, _ item: String) -> String {
    AirText(Array("\(app)/\(item)".utf8)).escaped().padded(to: 19)
  }
}

extension NetworkLine {
  /// A network that was found before, one line for each item that has found it.
  public func presentText(
    _ style: TextStyle = .plain, clock: String, where isWanted: (Item) -> Bool
  ) -> String {
    items.filter { $0.isFound && isWanted($0) }.map { item in
      let word = style.good("present".padded(to: 8))
      let level = signal.map { "\($0) dBm" } ?? "-"
      return "\(clock.paddedLeft(to: 9)) \(word) \(NetworkEventLine.shown(item.app, item.item)) "
        + "network \(ssid.terminal()) \(level)\n"
    }.joined()
  }
}

extension NetworkExplanation {
  /// Where the answer starts.
  private static let whyColumn = 26

  /// One line for what an item says; `isNamed` puts the item in front, otherwise the network.
  public func text(_ style: TextStyle = .plain, isNamed: Bool) -> String {
    let mark = (isFound ? style.good("yes") : style.bad("no ")) + " "
    let level = (signal.map { "\($0)" } ?? "-").paddedLeft(to: 7)
    let subject =
      isNamed ? AirText(Array("\(app)/\(item)".utf8)).escaped() : ssid.terminal()
    let clause = "\(key.rawValue) = \(wanted.terminal(columnsMax: 32)):"
    // It may be the agent's word.
    let shown = AirText(Array(why.utf8)).escaped(columnsMax: 200)
    let words = [subject + ":"] + (isNamed ? [clause] : []) + shown.split(separator: " ").map(String.init)
    return style.tableLine("\(mark) \(level) dBm".padded(to: Self.whyColumn), words, at: Self.whyColumn)
  }
}
