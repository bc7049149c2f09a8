// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Explanation
import HCI
public import Interfaces

/// The lines of sighting events, in aligned columns, with the names by which devices call themselves.
///
/// Without a terminal nothing is cut, and a column grows with the widest text so far. On a terminal, items and names
/// share the room that the other columns leave.
///
/// Capacity: ``namesMax`` names; when more are heard, all are forgotten and learned anew.
public struct EventTable: Sendable {
  static let namesMax = 4096
  private static let itemColumnsMin = 12
  private static let nameColumnsMin = 8
  private static let reasonColumnsMax = SightingReason.allCases.map(\.rawValue.count).max() ?? 0
  /// The width of all reasons but the longest, which is rare.
  private static let shortReasonColumns = 9
  /// A terminal below this width has no room for units and long reasons.
  private static let roomyColumns = 100

  private var itemColumns = 19
  private var names: [DeviceAddress: AdvertisementFields.Name] = [:]

  /// `items` are the items that may have events, as `app/item`, where they are known.
  public init(items: [String] = []) {
    for item in items { widen(for: item) }
  }

  /// Above the lines.
  public func header(_ style: TextStyle = .plain) -> String {
    let widths = widths(style)
    let level = widths.isRoomy ? "level    " : "  dBm"
    return ["     time event   ", "item".padded(to: widths.item ?? itemColumns), "address".padded(to: 17)]
      .joined(separator: " ") + level.paddedLeft(to: widths.isRoomy ? 9 : 5) + "  "
      + "reason".padded(to: widths.reason) + "  name\n"
  }

  /// One line. `clock` says when, or else the event's own time.
  public mutating func text(_ event: EventLine, _ style: TextStyle = .plain, clock: String? = nil) -> String {
    learn(AdvertisementFields(event.data.span.rawBytes).name, of: event.address)
    let word = event.event.rawValue.padded(to: 8)
    let colored =
      switch event.event {
      case .found: style.good(word)
      case .changed: word
      case .lost: style.bad(word)
      }
    return line(
      clock: clock ?? event.time.text(decimals: 3), colored, item: "\(event.app)/\(event.item)",
      event.address, event.filteredRSSI, reason: event.reason.rawValue,
      note: [event.values.text, event.skipped == 0 ? nil : "\(event.skipped) skipped"]
        .compactMap(\.self).joined(separator: ", "), style)
  }

  /// A device that was found before, one line for each item that has found it.
  public mutating func text(
    present device: DeviceLine, _ style: TextStyle = .plain, clock: String,
    where isWanted: (DeviceLine.Item) -> Bool
  ) -> String {
    learn(device.name.map { AdvertisementFields.Name(text: $0, isComplete: true) }, of: device.address)
    return device.items.filter { $0.isFound && isWanted($0) }.map { item in
      line(
        clock: clock, style.good("present".padded(to: 8)), item: "\(item.app)/\(item.item)", device.address,
        device.filteredRSSI, reason: item.presence.rawValue, style)
    }.joined()
  }

  // MARK: Names

  private mutating func learn(_ name: AdvertisementFields.Name?, of address: DeviceAddress) {
    guard let name, address.type != .anonymous else { return }
    if let known = names[address], known.isComplete, !name.isComplete { return }
    if names.count >= Self.namesMax, names[address] == nil { names = [:] }
    names[address] = name
  }

  // MARK: Columns

  private mutating func line(
    clock: String, _ word: String, item: String, _ address: DeviceAddress, _ level: Int8?, reason: String,
    note: String = "", _ style: TextStyle
  ) -> String {
    let wholeItem = widen(for: item)
    let widths = widths(style)
    let itemText = widths.item.map { AirText(Array(item.utf8)).escaped(columnsMax: $0) } ?? wholeItem
    let addressText = (address.text ?? "(anonymous)").padded(to: 17)
    let levelText = "\(level.map { "\($0)" } ?? "-")".paddedLeft(to: 5) + (widths.isRoomy ? " dBm" : "")
    let shown = AirText(Array(reason.utf8)).escaped(columnsMax: widths.reason)
    let item = itemText.padded(to: widths.item ?? itemColumns)
    let start = "\(clock.paddedLeft(to: 9)) \(word) \(item) \(addressText)\(levelText)  "
    let room = widths.name.map { max(Self.nameColumnsMin, $0 - (note.isEmpty ? 0 : note.count + 2)) }
    let name = names[address].map { $0.text.terminal(columnsMax: room ?? $0.text.bytes.count * 8 + 1) }
    let end = [name ?? "", note].filter { !$0.isEmpty }.joined(separator: "  ")
    return start + (end.isEmpty ? shown : "\(shown.padded(to: widths.reason))  \(end)") + "\n"
  }

  private struct Widths {
    /// Nil for as much as it takes.
    var item: Int?
    /// Between the quotes; nil for as much as it takes.
    var name: Int?
    let reason: Int
    let isRoomy: Bool
  }

  private func widths(_ style: TextStyle) -> Widths {
    let isRoomy = style.columnsMax.map { $0 >= Self.roomyColumns } ?? true
    let reason = isRoomy ? Self.reasonColumnsMax : Self.shortReasonColumns
    guard let columnsMax = style.columnsMax else {
      return Widths(item: nil, name: nil, reason: reason, isRoomy: isRoomy)
    }
    // Time, word, address, level and reason with the blanks after them, and the quotes of the name.
    let others = 10 + 9 + 1 + 17 + (isRoomy ? 9 : 5) + 2 + reason + 2 + 2
    let room = max(Self.itemColumnsMin + Self.nameColumnsMin, columnsMax - others)
    let item = max(Self.itemColumnsMin, min(itemColumns, room - Self.nameColumnsMin))
    return Widths(item: item, name: max(Self.nameColumnsMin, room - item), reason: reason, isRoomy: isRoomy)
  }

  /// Makes room for an item, and returns all of its text.
  @discardableResult
  private mutating func widen(for item: String) -> String {
    let text = AirText(Array(item.utf8)).escaped(columnsMax: item.utf8.count * 8 + 1)
    itemColumns = max(itemColumns, text.columnCount)
    return text
  }
}

extension RadioChangeLine {
  /// One line. `clock` says when, or else the line's own time.
  public func text(clock: String? = nil) -> String {
    let clock = (clock ?? time.text(decimals: 3)).paddedLeft(to: 9)
    let length = gap.map { " after \($0.text(decimals: 2)) s without a scan" } ?? ""
    return "\(clock) -- the radio is \(state.rawValue)\(length): \(AirText(Array(detail.utf8)).escaped())\n"
  }
}

extension ConnectionLine {
  /// One line. `clock` says when, or else the line's own time.
  public func text(_ style: TextStyle = .plain, clock: String? = nil) -> String {
    let clock = (clock ?? time.text(decimals: 3)).paddedLeft(to: 9)
    let app = AirText(Array(app.utf8)).escaped()
    let name = AirText(Array(displayName.utf8)).terminal(columnsMax: 32)
    let place = "\(name) (\(address.text ?? "-"))"
    guard let end else { return "\(clock) -- \(app) is connected to \(place)\n" }
    let lasted = duration.map { " after \($0.roughText)" } ?? ""
    return "\(clock) -- \(app) is no longer connected to \(place)\(lasted): \(end.sentence)\n"
  }
}
