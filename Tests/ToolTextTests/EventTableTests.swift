// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Testing

@testable import ToolText

@Suite("The table of events")
struct EventTableTests {
  private func event(
    _ kind: SightingEvent = .found, item: String = "bulb", address: UInt64 = 0xC4A1_0000_1E27,
    name: String? = nil, isComplete: Bool = true, reason: SightingReason = .matched
  ) -> EventLine {
    let payload = name.map { [UInt8($0.utf8.count + 1), isComplete ? 0x09 : 0x08] + Array($0.utf8) }
    return EventLine(
      sequence: 1, time: Seconds(microseconds: 1_500_000), event: kind, app: "lights", item: item,
      address: DeviceAddress(bits: address, type: .random), rssi: -44, filteredRSSI: -45, pathLoss: nil,
      samples: 5, reason: reason, data: payload ?? [])
  }

  @Test("A line ends with the name that the device gave, in this event or before")
  func names() {
    var table = EventTable()
    #expect(
      table.text(event(name: "Lumo E27"))
        == "    1.500 found    lights/bulb         C4:A1:00:00:1E:27  -45 dBm  matched          \"Lumo E27\"\n"
    )
    #expect(table.text(event(.lost, reason: .silence)).hasSuffix("silence          \"Lumo E27\"\n"))
    #expect(table.text(event(name: "Lumo", isComplete: false)).hasSuffix("\"Lumo E27\"\n"))
    #expect(table.text(event(address: 1)).hasSuffix("matched\n"), "it gave no name")
    #expect(table.text(event(name: "a\u{1B}[2J")).hasSuffix(#""a\u{1B}[2J""# + "\n"))
  }

  @Test("Without a terminal nothing is cut, and the columns are aligned")
  func columns() {
    let item = "the-ceiling-lamp-of-the-long-corridor"
    var table = EventTable(items: ["lights/bulb", "lights/\(item)"])
    let name = String(repeating: "long name ", count: 10)
    let lines = [
      table.text(event(name: "Lumo")), table.text(event(.lost, item: item, reason: .noLongerMatches)),
      table.text(event(item: item, address: 2, name: name)),
    ]
    #expect(lines[1].contains("lights/\(item) ") && lines[1].contains("noLongerMatches"))
    #expect(lines[2].contains("\"\(name)\""))
    for (column, words) in [("C4:A1", ["C4:A1", "C4:A1", "00:00"]), ("\"", ["\"", "\"", "\""])] {
      let places = zip(lines, words).map { line, word in line.place(of: word) }
      #expect(Set(places).count == 1 && places[0] != nil, "\(column): \(lines)")
    }
  }

  @Test("A line fits the terminal", arguments: [80, 90, 100, 132, 200])
  func terminal(columnsMax: Int) {
    let style = TextStyle(isColored: false, columnsMax: columnsMax)
    var table = EventTable()
    for item in ["bulb", "the-ceiling-lamp-of-the-long-corridor"] {
      for reason in SightingReason.allCases {
        let name = "厨房 " + String(repeating: "x", count: 99)
        let text = table.text(event(item: item, name: name, reason: reason), style)
        #expect(text.dropLast().columnCount <= columnsMax, "\(text)")
        #expect(text.contains("C4:A1:00:00:1E:27") && text.contains("\"厨房"))
      }
    }
  }

  @Test("The header stands above the columns", arguments: [nil, 80, 132])
  func header(columnsMax: Int?) {
    let style = TextStyle(isColored: false, columnsMax: columnsMax)
    var table = EventTable()
    let header = table.header(style)
    let line = table.text(event(name: "Lumo"), style)
    for (title, word) in [
      ("event", "found"), ("item", "lights/"), ("address", "C4:A1"), ("reason", "matched"),
      ("name", "\"Lumo"),
    ] {
      #expect(header.place(of: title) == line.place(of: word), "\(header)\(line)")
    }
    #expect(header.dropLast().columnCount <= columnsMax ?? .max)
  }

  @Test("Names are forgotten when too many are known")
  func capacity() {
    var table = EventTable()
    for address in 0...UInt64(EventTable.namesMax) { _ = table.text(event(address: address, name: "n")) }
    #expect(table.text(event(address: 0)).hasSuffix("matched\n"))
    #expect(table.text(event(address: UInt64(EventTable.namesMax))).hasSuffix("\"n\"\n"))
  }
}

extension String {
  /// How many characters stand before a piece of the text.
  fileprivate func place(of piece: String) -> Int? {
    var rest = self[...]
    while !rest.isEmpty {
      if rest.hasPrefix(piece) { return count - rest.count }
      rest.removeFirst()
    }
    return nil
  }
}
