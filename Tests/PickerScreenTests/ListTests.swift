// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Testing
import ToolText
import VirtualRadio

@testable import PickerScreen

@Suite("The list of devices")
struct ListTests {
  private static let height = 8

  /// The line of the screen that the selected row stands on.
  private func line(_ list: PickerList, height: Int = height) -> Int? {
    list.visible(height: height).firstIndex { line in
      if case .row(let row)? = line { row.line.key == list.selected } else { false }
    }
  }

  private func numbers(_ list: PickerList) -> [UInt32] {
    list.window(height: Self.height).lines.compactMap { $0.row?.line.candidate }
  }

  private func list(_ levels: [Int8?], hasHeadings: Bool = false) -> PickerList {
    var list = PickerList(hasHeadings: hasHeadings)
    for (index, level) in levels.enumerated() {
      list.update(Samples.candidate(UInt32(index) + 1, level: level), at: Samples.time(0))
    }
    return list
  }

  @Test("Sorts the strongest first and those without a level last, around the selected one")
  func order() {
    var list = list([-60, -70, nil, -50, -65])
    #expect(numbers(list) == [4, 1, 5, 2, 3] && list.selectedRow?.line.candidate == 4)
    list.move(by: 1, height: Self.height)
    list.update(Samples.candidate(1, level: -90), at: Samples.time(1))
    #expect(numbers(list) == [4, 1, 5, 2, 3])
    list.move(by: 1, height: Self.height)
    #expect(numbers(list) == [4, 2, 5, 1, 3] && list.selectedRow?.line.candidate == 5)
  }

  @Test("Neighbours change places only when a level has moved by 4 dB")
  func hysteresis() {
    var list = list([-40, -60, -62])
    list.update(Samples.candidate(3, level: -59), at: Samples.time(1))
    #expect(numbers(list) == [1, 2, 3])
    list.update(Samples.candidate(2, level: -63), at: Samples.time(1))
    list.update(Samples.candidate(3, level: -58), at: Samples.time(1))
    #expect(numbers(list) == [1, 3, 2])
    // From here on a wobble of 3 dB changes nothing.
    for level: Int8 in [-57, -60, -61, -55, -58] {
      list.update(Samples.candidate(3, level: level), at: Samples.time(2))
      #expect(numbers(list) == [1, 3, 2])
    }
  }

  @Test(
    "Before a key is pressed the list shows its top, whatever the agent reports", arguments: UInt64(0)..<20)
  func top(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var list = PickerList(hasHeadings: seed & 1 == 1)
    for step in 0..<60 {
      disturb(&list, at: step, &random)
      let lines = list.window(height: Self.height).lines
      #expect(list.visible(height: Self.height).compactMap(\.self) == Array(lines.prefix(Self.height)))
      #expect(list.selectedRow == lines.lazy.compactMap(\.row).first, "step \(step)")
      let rows = lines.compactMap(\.row)
      #expect(zip(rows, rows.dropFirst()).allSatisfy { PickerRow.isAbove($0, $1) })
    }
  }

  @Test("Whatever the agent reports, the selected device stays on its line", arguments: UInt64(0)..<40)
  func selectionStays(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var list = PickerList(hasHeadings: seed & 1 == 1)
    let height = Int.random(in: 1...12, using: &random)
    list.update(
      Samples.candidate(1, level: -60, item: Int.random(in: 0...2, using: &random)), at: Samples.time(0))
    list.pin()
    for step in 0..<100 {
      if Int.random(in: 0..<10, using: &random) == 0 {
        list.move(by: Int.random(in: -4...4, using: &random), height: height)
      }
      let (selected, before) = (list.selected, line(list, height: height))
      #expect(before != nil, "the selected row is in sight at step \(step)")
      disturb(&list, at: step, &random)
      #expect(list.selected == selected)
      #expect(line(list, height: height) == before, "step \(step)")
      #expect(Set(numbers(list)).count == numbers(list).count, "one row a device")
      expectFull(list, height: height)
    }
  }

  /// No line is empty while there are rows out of sight, and those out of sight are counted.
  private func expectFull(_ list: PickerList, height: Int) {
    let visible = list.visible(height: height)
    let shown = visible.count { $0?.row != nil }
    let hidden = list.window(height: height).hiddenCounts
    #expect(shown + hidden.above + hidden.below == list.rows.count)
    if visible.contains(nil) { #expect(hidden == (0, 0)) }
  }

  @Test("A row that others push past the end has the list's beginning below it, and keys follow what is seen")
  func ring() {
    var list = PickerList(hasHeadings: true)
    list.update(Samples.candidate(99, level: -80, item: 1), at: Samples.time(0))
    list.pin()
    for number in 1...20 as ClosedRange<UInt32> {
      list.update(Samples.candidate(number, level: -40 - Int8(number)), at: Samples.time(1))
    }
    #expect(line(list) == 1 && list.window(height: Self.height).hiddenCounts.above == 15)
    let shown = list.visible(height: Self.height).map { $0?.row?.line.candidate }
    #expect(shown == [nil, 99, nil, 1, 2, 3, 4, 5])
    var up = list
    up.move(by: -1, height: Self.height)
    #expect(
      up.selectedRow?.line.candidate == 20 && up.visible(height: Self.height).last??.row?.line.candidate == 99
    )
    list.move(by: 1, height: Self.height)
    #expect(list.selectedRow?.line.candidate == 1 && line(list) == 1)
    expectFull(list, height: Self.height)
  }

  private func disturb(_ list: inout PickerList, at step: Int, _ random: inout SeededGenerator) {
    let number = UInt32.random(in: 1...20, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: list.markGone(number, at: Samples.time(Double(step)))
    default:
      let level = Bool.random(using: &random) ? Int8.random(in: -95 ... -30, using: &random) : nil
      // A device stays with its item.
      list.update(
        Samples.candidate(number, level: level, item: Int(number) % 3), at: Samples.time(Double(step)))
    }
  }

  @Test("A selected device that is gone keeps its row until the selection moves")
  func gone() {
    var list = list([-40, -50, -60])
    list.pin()
    list.markGone(1, at: Samples.time(1))
    #expect(numbers(list) == [1, 2, 3] && list.selectedRow?.isGone == true)
    // It is back, under another number.
    list.update(Samples.candidate(9, level: -45, address: 0xC4A1_0000_1E01), at: Samples.time(1))
    #expect(numbers(list) == [9, 2, 3] && list.selectedRow?.isGone == false)
    list.markGone(9, at: Samples.time(1))
    list.move(by: 1, height: Self.height)
    #expect(numbers(list) == [2, 3] && list.selectedRow?.line.candidate == 2)
    #expect(line(list) == 0, "no line stays empty above")
  }

  @Test("Keys reach every row, and no further")
  func moving() {
    var list = list([-40, -50, -60, -70], hasHeadings: true)
    list.move(by: 1, height: 3)
    #expect(list.selectedRow?.line.candidate == 2 && line(list, height: 3) == 2)
    list.move(by: 99, height: 3)
    #expect(list.selectedRow?.line.candidate == 4 && line(list, height: 3) == 2)
    #expect(list.window(height: 3).hiddenCounts == (1, 0))
    list.move(by: -99, height: 3)
    #expect(list.selectedRow?.line.candidate == 1 && line(list, height: 3) == 1, "its heading is in sight")
    var empty = PickerList(hasHeadings: false)
    empty.move(by: 1, height: 3)
    #expect(empty.selected == nil)
  }

  @Test("The tail of an address is long enough to distinguish the devices")
  func tails() {
    func tail(_ bits: UInt64...) -> Int {
      PickerColumns.tail(bits.map { DeviceAddress(bits: $0, type: .random) })
    }
    #expect(tail(0xC4A1_0000_1E27) == 2)
    #expect(tail(0xC4A1_0000_1E27, 0xC4A1_0000_1E28) == 2)
    #expect(tail(0xC4A1_0000_1E27, 0xC4A1_0001_1E27) == 3)
    #expect(tail(0xC4A1_0000_1E27, 0xC4A2_0000_1E27) == 5)
    #expect(tail(0xC4A1_0000_1E27, 0xC5A1_0000_1E27) == 6)
  }

  @Test("Devices beyond the limit do no harm")
  func full() {
    var list = PickerList(hasHeadings: false)
    for number in 1...UInt32(PickerList.rowsMax + 9) {
      list.update(Samples.candidate(number, level: -50), at: Samples.time(0))
    }
    #expect(list.rows.count == PickerList.rowsMax)
    list.markGone(UInt32(PickerList.rowsMax + 3), at: Samples.time(1))
    #expect(list.rows.count == PickerList.rowsMax)
  }

  @Test("A row remembers one level a second, eight of them")
  func history() {
    var row = PickerRow(Samples.candidate(1, level: -90), at: Samples.time(0))
    for step in 1...40 {
      let now = Instant(microseconds: Int64(step) * 250_000)
      row.update(Samples.candidate(1, level: Int8(-90 + step)), at: now)
    }
    #expect(row.history == [-75, -71, -67, -63, -59, -55, -51, -50], "\(row.history)")
    #expect(Glyphs.unicode.history([-128, -95, -88, -53, -46, 0]) == "▁▁▂▇██")
    #expect(Glyphs.ascii.history([-95, -53]) == "_*")
  }
}
