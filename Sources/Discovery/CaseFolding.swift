// SPDX-License-Identifier: GPL-3.0-or-later

/// Simple case folding, one scalar to one scalar (Unicode 15, 3.13, from CaseFolding.txt statuses C and S).
enum CaseFolding {
  /// The folded form of a scalar; anything that has none stands for itself.
  static func fold(_ scalar: UInt32) -> UInt32 {
    guard scalar >= 0x80 else { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      let range = ranges[middle]
      if scalar > UInt32(truncatingIfNeeded: range >> 22 & 0x1F_FFFF) {
        low = middle + 1
      } else if scalar < UInt32(truncatingIfNeeded: range >> 43) {
        high = middle
      } else {
        return apply(range, to: scalar)
      }
    }
    return scalar
  }

  private static func apply(_ range: UInt64, to scalar: UInt32) -> UInt32 {
    let isEverySecond = range >> 21 & 1 == 1
    let distance = scalar &- UInt32(truncatingIfNeeded: range >> 43)
    guard !isEverySecond || distance & 1 == 0 else { return scalar }
    return (scalar &+ UInt32(truncatingIfNeeded: range & 0x1F_FFFF)) & 0x1F_FFFF
  }
}
