// SPDX-License-Identifier: GPL-3.0-or-later

import AgentSimulation

/// The options of the command line.
struct Options {
  private(set) var seeds: ClosedRange<UInt64> = 1...10_000
  private(set) var isVerbose = false
  /// Whether only the life cycles run.
  private(set) var isLifeCycleOnly = false

  /// Nil when an argument is unknown or invalid.
  init?(_ arguments: ArraySlice<String>) {
    var (first, count) = (UInt64(1), UInt64(10_000))
    var rest = arguments
    while let argument = rest.popFirst() {
      if argument == "--verbose" {
        isVerbose = true
        continue
      }
      if argument == "--life" {
        isLifeCycleOnly = true
        continue
      }
      guard let number = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
      switch argument {
      case "--seeds": count = number
      case "--first": first = number
      case "--seed": (first, count) = (number, 1)
      default: return nil
      }
    }
    guard count > 0, first <= .max - count else { return nil }
    seeds = first...(first + count - 1)
  }
}

/// The sums of all runs.
struct Totals: CustomStringConvertible {
  private var runs = 0
  private var steps = 0
  private var events = 0
  private var commits = 0
  private var replies = 0
  private var packets = 0
  private var digests: [Digest] = []

  mutating func add(_ outcome: Simulation.Outcome?, _ life: Simulation.Outcome) {
    runs += 1
    steps += life.steps + (outcome?.steps ?? 0)
    events += outcome?.events ?? 0
    commits += life.events
    replies += life.replies + (outcome?.replies ?? 0)
    packets += life.packets + (outcome?.packets ?? 0)
    digests = [outcome?.digest, life.digest].compactMap(\.self)
  }

  /// Whether these seeds had enough to do for a broken rule to show.
  var isEnough: Bool {
    packets >= 500 * runs && events >= 10 * runs && commits >= 2 * runs && replies >= 300 * runs
  }

  var description: String {
    "\(runs) seeds, \(steps) steps, \(packets) packets, \(events) events, \(commits) commits, "
      + "\(replies) replies: no rule was broken; the last run's digests: "
      + digests.map { "\($0)" }.joined(separator: ", ")
  }
}
