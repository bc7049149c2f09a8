// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Which device sends next: a binary heap with one entry for each advertiser, equal times in the order of the devices.
///
/// It has room for every device of the scene, and none joins later.
struct Agenda: Sendable {
  struct Entry: Sendable, BitwiseCopyable, Comparable {
    var time: Instant
    var device: Int

    static func < (left: Self, right: Self) -> Bool {
      left.time == right.time ? left.device < right.device : left.time < right.time
    }
  }

  private var heap: [Entry] = []

  var first: Entry? { heap.first }

  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var index = heap.count - 1
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Gives the first entry a new time, or removes it.
  mutating func replaceFirst(time: Instant?) {
    if let time {
      heap[0].time = time
    } else {
      heap.swapAt(0, heap.count - 1)
      heap.removeLast()
    }
    sink()
  }

  private mutating func sink() {
    var index = 0
    while let child = smallerChild(of: index), heap[child] < heap[index] {
      heap.swapAt(child, index)
      index = child
    }
  }

  private func smallerChild(of index: Int) -> Int? {
    let left = 2 * index + 1
    guard left < heap.count else { return nil }
    return left + 1 < heap.count && heap[left + 1] < heap[left] ? left + 1 : left
  }
}
