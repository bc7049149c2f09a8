// SPDX-License-Identifier: GPL-3.0-or-later

import Testing
import VirtualRadio

@Suite struct SeededGeneratorTests {
  /// The published first outputs of SplitMix64 for seed 1234567.
  @Test func theSequenceIsThePublishedOne() {
    var dice = SeededGenerator(seed: 1_234_567)
    #expect(dice.next() == 6_457_827_717_110_365_317)
    #expect(dice.next() == 3_203_168_211_198_807_973)
  }

  @Test func streamsOfOneSeedDiffer() {
    var first = SeededGenerator(seed: 1, stream: 0)
    var second = SeededGenerator(seed: 1, stream: 1)
    #expect(first.next() != second.next())
  }

  /// With 200,000 draws the standard error of the mean is 0.0022, of the deviation 0.0016, of a share p
  /// sqrt(p/n) at most; the tolerances are four of them.
  @Test func theGaussianHasTheNormalMeanDeviationAndTails() {
    var dice = SeededGenerator(seed: 42)
    var (sum, squares, beyond) = (0.0, 0.0, [0, 0, 0, 0])
    let count = 200_000
    for _ in 0..<count {
      let value = Double(dice.gaussian()) / 65_536
      sum += value
      squares += value * value
      for sigma in 1...4 where abs(value) > Double(sigma) { beyond[sigma - 1] += 1 }
    }
    #expect(abs(sum / Double(count)) < 0.009)
    #expect(abs(squares / Double(count) - 1) < 0.013)
    for (found, share) in zip(beyond, [0.3173, 0.0455, 0.0027, 0.000_063]) {
      let expected = share * Double(count)
      #expect(abs(Double(found) - expected) < 4 * expected.squareRoot())
    }
  }
}
