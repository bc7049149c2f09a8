// SPDX-License-Identifier: GPL-3.0-or-later

/// The scene's only source of randomness: the same seed gives the same numbers on every machine.
///
/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). Integers only: a
/// floating-point result may differ between processors and optimisation levels.
public struct SeededGenerator: RandomNumberGenerator, Sendable, BitwiseCopyable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// An independent generator for part `index` of a seeded whole, so that adding a part does not change the others.
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

  /// True in `perMille` of a thousand cases. A certain outcome takes no number from the sequence.
  public mutating func chance(perMille: Int) -> Bool {
    guard perMille > 0 else { return false }
    guard perMille < 1000 else { return true }
    return number(below: 1000) < perMille
  }
}

extension SeededGenerator {
  /// A number from the standard normal distribution, times 65,536.
  ///
  /// The sum of twelve uniform numbers, whose tails are too thin, bent by Teichroew's polynomial (Knuth, The Art of
  /// Computer Programming, volume 2, first edition, 3.4.1): the error of the distribution stays below 2 in 10,000.
  public mutating func gaussian() -> Int {
    let sum = lanes(next()) &+ lanes(next()) &+ lanes(next())
    // The mean of twelve times 0...65535 is 393,210.
    let ratio = (sum &- 393_210) / 4
    let square = (ratio &* ratio) >> 16
    // Coefficients times 2^26.
    var factor = 2_006_540  // 0.029899776
    factor = 560_760 + (factor &* square) >> 16  // 0.008355968
    factor = 5_136_708 + (factor &* square) >> 16  // 0.076542912
    factor = 16_938_867 + (factor &* square) >> 16  // 0.252408784
    factor = 265_069_687 + (factor &* square) >> 16  // 3.949846138
    return (factor &* ratio) >> 26
  }

  /// The four 16-bit numbers in `word`, added.
  private func lanes(_ word: UInt64) -> Int {
    let pairs = (word & 0x0000_FFFF_0000_FFFF) &+ (word >> 16 & 0x0000_FFFF_0000_FFFF)
    return Int((pairs & 0xFFFF_FFFF) &+ pairs >> 32)
  }
}
