// SPDX-License-Identifier: GPL-3.0-or-later

// Runs the simulation for one seed or for many; see Scripts/simulate.

import AgentSimulation
import Glibc

guard let options = Options(CommandLine.arguments.dropFirst()) else {
  print("usage: simulate [--seeds N] [--first SEED] [--seed SEED] [--life] [--verbose]")
  exit(64)
}
if options.seeds.count > 1 { Trap.install() }
var total = Totals()
for seed in options.seeds {
  Trap.remember(seed)
  // The first seed runs twice: both runs must be equal.
  let repeats = seed == options.seeds.lowerBound ? 2 : 1
  var digests: [[Digest]] = []
  for _ in 0..<repeats {
    do throws(Simulation.Failure) {
      let log: ((String) -> Void)? = options.isVerbose ? { print($0) } : nil
      let outcome = options.isLifeCycleOnly ? nil : try Simulation(seed: seed, log: log).run()
      let lives = LifeCycle(seed: seed, log: options.isVerbose ? { print("life \($0)") } : nil)
      let life = try lives.run()
      digests.append([outcome?.digest, life.digest].compactMap(\.self))
      if digests.count == 1 { total.add(outcome, life) }
    } catch {
      print("seed \(seed), step \(error.step), \(error.microseconds) µs: \(error.breach)")
      print("again: Scripts/simulate --seed \(seed) --verbose")
      exit(1)
    }
  }
  guard digests.allSatisfy({ $0 == digests[0] }) else {
    print("seed \(seed): two runs differ: \(digests[0]) and \(digests[1])")
    exit(1)
  }
}
print(total)
guard options.seeds.count < 100 || options.isLifeCycleOnly || total.isEnough else {
  print("that is too little for a broken rule to show")
  exit(1)
}
