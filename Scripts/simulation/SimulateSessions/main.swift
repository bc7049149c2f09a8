// SPDX-License-Identifier: GPL-3.0-or-later

// Runs the simulation of sessions for one seed or for many; see Scripts/steps/simulate-sessions.

import Glibc
import SessionSimulation

/// The seeds of the command line; nil when it is wrong.
func seeds(_ arguments: [String]) -> ClosedRange<UInt64>? {
  switch (arguments.first, arguments.dropFirst().first.flatMap { UInt64($0) }) {
  case (nil, _): 1...500
  case ("--seeds", let count?) where count > 0: 1...count
  case ("--seed", let seed?): seed...seed
  default: nil
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let range = seeds(arguments.filter { $0 != "--verbose" }) else {
  fatalError("usage: simulate-sessions [--seeds N] [--seed SEED] [--verbose]")
}
var totals: SessionSimulation.Outcome = [:]
for seed in range {
  do throws(BrokenRule) {
    let log: ((String) -> Void)? = arguments.contains("--verbose") ? { print($0) } : nil
    let outcome = try SessionSimulation(seed: seed, log: log).run()
    totals.merge(outcome, uniquingKeysWith: +)
  } catch {
    print("seed \(seed): \(error.sentence)")
    print("again: Scripts/steps/simulate-sessions --seed \(seed) --verbose")
    exit(1)
  }
}
print("\(range.count) seeds: no rule was broken")
for (kind, count) in totals.sorted(by: { $0.key < $1.key }) { print("  \(kind): \(count)") }
