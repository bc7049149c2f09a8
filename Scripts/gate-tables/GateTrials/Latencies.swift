// SPDX-License-Identifier: GPL-3.0-or-later

/// The time from arrival to entering, for each seed.
public struct Latencies: Sendable {
  /// The milliseconds of the seeds that entered, ascending.
  public let milliseconds: [Int]
  /// The number of seeds.
  public let count: Int

  public init(milliseconds: [Int], count: Int) {
    self.milliseconds = milliseconds.sorted()
    self.count = count
  }

  /// The nearest rank; nil when too few seeds entered to reach the rank.
  public func percentile(_ percent: Int) -> Int? {
    let rank = (count * percent + 99) / 100
    return rank >= 1 && rank <= milliseconds.count ? milliseconds[rank - 1] : nil
  }

  public var entered: Int { milliseconds.count }
}
