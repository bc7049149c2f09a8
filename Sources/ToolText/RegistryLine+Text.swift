// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces

extension RegistryLine {
  /// The text for operators.
  public func text(_ style: TextStyle = .plain) -> String {
    var rows = TextRows(indent: 0, labelColumnCount: 10)
    switch self {
    case .state(let state, let sentence, let accessoryCount):
      let word = state == .degraded ? style.bad(state.rawValue) : style.good(state.rawValue)
      let noun = accessoryCount == 1 ? "accessory" : "accessories"
      // Of a file that was never read nobody knows how many it has.
      let isKnown = state != .degraded || accessoryCount > 0
      rows.line("registry  \(word)" + (isKnown ? ", \(accessoryCount) \(noun)" : ""))
      if let sentence { rows.row("", StatusLine.shown(sentence)) }
    case .removed(let app, let item, let device):
      let owner = AirText(Array("\(app)/\(item)".utf8)).escaped()
      rows.row("removed", [AirText(Array(device.utf8)).escaped(), "from \(owner)"])
    }
    return rows.text
  }
}
