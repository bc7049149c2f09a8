// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces

/// The accessories as a table for operators: a row each, with notes below it.
///
/// Where there is little room, the address is left out first; then names are cut, then other columns left out. The name
/// and the identifier stay.
public struct AccessoryTable {
  private enum Column: CaseIterable {
    case name, owner, state, status, signal, values, address, identifier

    var title: String {
      switch self {
      case .name: "name"
      case .owner: "app/item"
      case .state: "state"
      case .status: "status"
      case .signal: "signal"
      case .values: "values"
      case .address: "address"
      case .identifier: "identifier"
      }
    }

    /// How many columns text may be truncated to; nil for a column that is shown whole or not at all.
    var columnCountMin: Int? {
      switch self {
      case .name, .owner, .values: 10
      case .state, .status, .signal, .address, .identifier: nil
      }
    }

    /// Whether the accessory has something there that is not usual.
    func isNeeded(for accessory: AccessoryLine) -> Bool {
      switch self {
      case .status: accessory.status != .active
      case .values: accessory.valuesText != nil
      case .name, .owner, .state, .signal, .address, .identifier: true
      }
    }

    /// What gives way first; the notes say of the status what has to be known.
    static let dispensable: [Column] = [.status, .values, .signal, .owner, .state]
  }

  /// Text is not wider, however much room there is.
  private static let textColumnsMax = 30
  private static let gap = "  "

  private let accessories: [AccessoryLine]
  private let identifiers: [String]

  public init(_ accessories: [AccessoryLine]) {
    self.accessories = accessories
    identifiers = accessories.shortIdentifiers
  }

  /// The table; without a terminal it takes as much room as it needs.
  public func text(_ style: TextStyle = .plain) -> String {
    let layout = layout(columnsMax: style.columnsMax)
    var text = layout.map { $0.column.title.padded(to: $0.width) }.joined(separator: Self.gap).trimmed + "\n"
    for index in accessories.indices {
      let cells = layout.map { column, width in
        let cell = cell(column, index, columnsMax: width).padded(to: width)
        return styled(cell, column, accessories[index], style)
      }
      text += cells.joined(separator: Self.gap).trimmed + "\n"
      for note in accessories[index].notes(identifiers[index]) {
        text += "    \(note)\n".foldedLines(to: style.columnsMax ?? TextStyle.usualColumnCount)
      }
    }
    return text
  }

  // MARK: Columns

  private typealias Layout = [(column: Column, width: Int)]

  private func layout(columnsMax: Int?) -> Layout {
    var layout: Layout = []
    for column in Column.allCases
    where accessories.contains(where: { column.isNeeded(for: $0) }) {
      let cells = accessories.indices.map { cell(column, $0, columnsMax: Self.textColumnsMax).columnCount }
      layout.append((column, max(column.title.columnCount, cells.max() ?? 0)))
    }
    guard let columnsMax, Self.excess(of: layout, over: columnsMax) > 0 else { return layout }
    layout.removeAll { $0.column == .address }
    var dispensable = Column.dispensable[...]
    while true {
      if let narrowed = Self.narrowed(layout, to: columnsMax) { return narrowed }
      guard let column = dispensable.popFirst() else { return layout }
      layout.removeAll { $0.column == column }
    }
  }

  /// With text made narrower; nil when that is not enough.
  private static func narrowed(_ layout: Layout, to columnsMax: Int) -> Layout? {
    var layout = layout
    var excess = excess(of: layout, over: columnsMax)
    // The last text first: the name tells more.
    for place in layout.indices.reversed() {
      guard excess > 0, let columnCountMin = layout[place].column.columnCountMin else { continue }
      let saved = min(excess, max(0, layout[place].width - columnCountMin))
      layout[place].width -= saved
      excess -= saved
    }
    return excess > 0 ? nil : layout
  }

  private static func excess(of layout: Layout, over columnsMax: Int) -> Int {
    layout.reduce(0) { $0 + $1.width } + gap.count * (layout.count - 1) - columnsMax
  }

  // MARK: Cells

  private func cell(_ column: Column, _ index: Int, columnsMax: Int) -> String {
    let accessory = accessories[index]
    return switch column {
    case .name: AirText(Array(accessory.displayName.utf8)).escaped(columnsMax: columnsMax)
    case .owner: accessory.owner(columnsMax: columnsMax)
    case .state: accessory.stateText
    case .status: accessory.status.rawValue
    case .signal: accessory.signalText
    case .values: AirText(Array((accessory.valuesText ?? "-").utf8)).escaped(columnsMax: columnsMax)
    case .address: accessory.address?.text ?? "-"
    case .identifier: identifiers[index]
    }
  }

  private func styled(
    _ cell: String, _ column: Column, _ accessory: AccessoryLine, _ style: TextStyle
  ) -> String {
    switch column {
    case .name: style.strong(cell)
    case .status: accessory.status == .active ? cell : style.bad(cell)
    case .signal: accessory.isInSight ? style.good(cell) : style.faint(cell)
    case .owner, .state, .values, .address, .identifier: cell
    }
  }
}

extension AccessoryLine {
  fileprivate var stateText: String {
    switch state {
    case .unauthorized: "unauthorized"
    case .awaitingAuthorization: "awaits its app"
    case .authorized: "authorized"
    }
  }

  /// What it said last, in open formats.
  fileprivate var valuesText: String? { values.text }

  fileprivate var signalText: String {
    guard isInSight else { return isHeard == true ? "heard, not found" : "not in sight" }
    return filteredRSSI.map { "\($0) dBm" } ?? "in sight"
  }

  /// What is out of the ordinary, and what to do about it.
  fileprivate func notes(_ shortIdentifier: String) -> [String] {
    var notes: [String] = []
    switch status {
    case .active: break
    case .orphaned: notes.append("orphaned: its \(item == nil ? "app" : "item") is not in the manifest")
    case .suspended:
      let app = AirText(Array(app.utf8)).escaped()
      notes.append("suspended: its app has another account now; accessoryctl authorize \(app) confirms")
    }
    switch connection {
    case nil: break
    case .connecting: notes.append("\(AirText(Array(app.utf8)).escaped()) is being connected to it")
    case .connected:
      notes.append("connected to \(AirText(Array(app.utf8)).escaped()); accessoryctl disconnect ends that")
    }
    if bond == .lost { notes.append("its bond is lost: accessoryctl pair \(shortIdentifier) pairs it again") }
    if lacksAuthenticatedBond == true {
      notes.append(
        "the manifest demands an authenticated bond, and it has none: accessoryctl remove \(shortIdentifier), also"
          + " from other apps that have it, and set it up again")
    }
    if isHeard == true, let address = address?.text {
      notes.append("it does not match its item, or is too far away: accessoryctl explain \(address)")
    }
    if !isIdentityDurable { notes.append("its address changes: it may not be known again") }
    if let ssid { notes.append("network \(ssid.terminal(columnsMax: 32))") }
    return notes
  }
}

extension String {
  /// Without blanks at its end.
  fileprivate var trimmed: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
