// SPDX-License-Identifier: GPL-3.0-or-later

/// How long it took to enter, seed by seed.
public struct Latencies: Sendable {
  /// Milliseconds, ascending, of those that entered.
  public let milliseconds: [Int]
  /// Seeds in all.
  public let count: Int

  public init(milliseconds: [Int], count: Int) {
    self.milliseconds = milliseconds.sorted()
    self.count = count
  }

  /// The nearest rank; nil when so many did not enter that the rank falls among them.
  public func percentile(_ percent: Int) -> Int? {
    let rank = (count * percent + 99) / 100
    return rank >= 1 && rank <= milliseconds.count ? milliseconds[rank - 1] : nil
  }

  public var entered: Int { milliseconds.count }
}
