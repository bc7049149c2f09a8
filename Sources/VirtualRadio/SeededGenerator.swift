// SPDX-License-Identifier: GPL-3.0-or-later

/// The scene's only source of chance: the same seed gives the same numbers on every machine.
///
/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). Integers only: a
/// floating-point result may differ between processors and optimisation levels.
public struct SeededGenerator: RandomNumberGenerator, Sendable, BitwiseCopyable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// A generator of its own for part `index` of what `seed` makes, so that adding a part leaves the others alone.
  public init(seed: UInt64, stream index: UInt64) {
    var root = SeededGenerator(seed: seed)
    var branch = SeededGenerator(seed: root.next() ^ index)
    state = branch.next()
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number from 0 up to but not including `bound`, which must be at least 1. The low bounds used here make
  /// the multiplication's bias smaller than 2^-32.
  public mutating func number(below bound: Int) -> Int {
    precondition(bound > 0, "there is no number below zero")
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// True in `perMille` of a thousand cases; certain outcomes take no number from the sequence.
  public mutating func chance(perMille: Int) -> Bool {
    guard perMille > 0 else { return false }
    guard perMille < 1000 else { return true }
    return number(below: 1000) < perMille
  }
}
