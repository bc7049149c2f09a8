// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Prints how the immediate gate behaves: first the guarantee, then tables for other conditions, unless only the promises
/// are asked for. Exits with 1 when the guarantee does not hold, and with 64 for wrong arguments.
///
///     gate-tables [--promises] [SEEDS]
@main
struct GateTables {
  static func main() {
    var arguments = CommandLine.arguments.dropFirst()
    let onlyPromises = arguments.first == "--promises"
    if onlyPromises { arguments.removeFirst() }
    guard arguments.count <= 1, let seeds = arguments.first.map(UInt64.init) ?? 10_000, seeds >= 100 else {
      print("usage: gate-tables [--promises] [SEEDS]; at least 100 seeds, 10000 by default")
      exit(64)
    }
    var isHeld = false
    let elapsed = ContinuousClock().measure {
      isHeld = Report(seeds: 1..<(seeds + 1)).promises()
      // A tenth of the seeds is enough for conditions without a guarantee.
      if !onlyPromises { Report(seeds: 1..<(max(100, seeds / 10) + 1)).tables() }
    }
    print("\n\(seeds) seeds took \(elapsed.components.seconds) s")
    if !isHeld { exit(1) }
  }
}
