// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("The arena and its tables")
struct ArenaTests {
  @Test("A measuring arena adds up what the real one hands out")
  func measuring() {
    var measure = Arena()
    let none = measure.table(of: UInt8(7), count: 3)
    _ = measure.table(of: UInt64(9), count: 2)
    #expect(none.count == 0)
    #expect(measure.byteCount == 8 + 16)
    let memory = Memory(byteCount: measure.byteCount)
    var arena = memory.arena()
    let bytes = arena.table(of: UInt8(7), count: 3)
    let words = arena.table(of: UInt64(9), count: 2)
    #expect(arena.byteCount == measure.byteCount)
    #expect(bytes.count == 3 && words.count == 2)
    withExtendedLifetime(memory) {
      #expect((0..<3).allSatisfy { bytes[$0] == 7 } && (0..<2).allSatisfy { words[$0] == 9 })
    }
  }

  @Test("Tables do not overlap, and copies share their elements")
  func separate() {
    let memory = Memory(byteCount: 64)
    var arena = memory.arena()
    let first = arena.table(of: UInt8(0), count: 13)
    let second = arena.table(of: UInt32(0), count: 4)
    withExtendedLifetime(memory) {
      for index in 0..<13 { first[index] = 0xFF }
      #expect((0..<4).allSatisfy { second[$0] == 0 })
      let copy = second
      copy[2] = 5
      #expect(second[2] == 5)
    }
  }

  @Test("Bytes are written and lent at any offset", arguments: 0...17)
  func bytes(byteCount: Int) {
    let memory = Memory(byteCount: 32)
    var arena = memory.arena()
    let table = arena.table(of: UInt8(0xEE), count: 32)
    let source = (0..<byteCount).map { UInt8($0 + 1) }
    withExtendedLifetime(memory) {
      for offset in 0...(32 - byteCount) {
        for index in 0..<32 { table[index] = 0xEE }
        table.write(source.rawSpan, at: offset)
        let written = table.span(at: offset, count: byteCount).bytes
        #expect(written == source)
        let before = table.span(at: 0, count: offset).bytes
        let after = table.span(at: offset + byteCount, count: 32 - offset - byteCount).bytes
        #expect((before + after).allSatisfy { $0 == 0xEE })
      }
    }
  }

  @Test("A table that the arena has no room for is refused")
  func tooSmall() async {
    await #expect(processExitsWith: .failure) {
      let memory = Memory(byteCount: 16)
      var arena = memory.arena()
      _ = arena.table(of: UInt64(0), count: 3)
    }
  }

  @Test("An index outside a table is refused")
  func outside() async {
    await #expect(processExitsWith: .failure) {
      let memory = Memory(byteCount: 16)
      var arena = memory.arena()
      let table = arena.table(of: UInt64(0), count: 2)
      table[2] = 1
    }
    await #expect(processExitsWith: .failure) {
      let table = FixedTable<UInt8>.empty
      _ = table[0]
    }
  }
}
