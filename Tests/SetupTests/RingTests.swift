// SPDX-License-Identifier: GPL-3.0-or-later

import Setup
import Testing

@Suite("A ring of events")
struct RingTests {
  /// Reads to the end: elements, and how many were missed.
  private func read(_ ring: Ring<Int>, _ sequence: inout UInt64) -> (elements: [Int], missed: UInt64) {
    var elements: [Int] = []
    var missed: UInt64 = 0
    while true {
      switch ring.read(&sequence) {
      case .element(_, let element): elements.append(element)
      case .missed(let count): missed += count
      case .end, .reset: return (elements, missed)
      }
    }
  }

  @Test("A reader that keeps up gets every element in order")
  func keepsUp() {
    var ring = Ring<Int>(capacity: 3)
    var sequence: UInt64 = 0
    for number in 0..<10 {
      ring.append(number)
      #expect(read(ring, &sequence).elements == [number])
    }
  }

  @Test(
    "Delivered and missed elements add up to all elements, however late a reader comes",
    arguments: 0...12)
  func adds(lag: Int) {
    var ring = Ring<Int>(capacity: 5)
    var sequence: UInt64 = 0
    var total: UInt64 = 0
    for number in 0..<60 {
      ring.append(number)
      guard lag == 0 || number % lag == 0 else { continue }
      let reading = read(ring, &sequence)
      #expect(reading.elements == Array(max(0, number - 4)...number).suffix(reading.elements.count))
      total += reading.missed + UInt64(reading.elements.count)
      #expect(total == ring.produced)
    }
  }

  @Test("A number that was never given belongs to another run")
  func future() {
    var ring = Ring<Int>(capacity: 2)
    ring.append(1)
    var sequence: UInt64 = 2
    guard case .reset = ring.read(&sequence) else {
      Issue.record("the reader is reset")
      return
    }
    #expect(sequence == 2)
  }
}
