// SPDX-License-Identifier: GPL-3.0-or-later

/// The random numbers of a seed (SplitMix64).
struct SeedRandom {
  var state: UInt64

  mutating func next(below limit: UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return (word ^ word >> 31) % limit
  }

  mutating func isTrue(percent: UInt64) -> Bool { next(below: 100) < percent }
}
