// SPDX-License-Identifier: GPL-3.0-or-later

// The cost of delivering an event to watchers:
//
//     benchmark-delivery WATCHERS ROUNDS
//
// Sixteen devices change what they advertise once a second for ROUNDS seconds; every watcher reads all it is sent at
// once. Prints the events, the bytes that watchers received, and the allocations of the turns that delivered them. The
// caller counts the instructions of runs with different rounds.

import Agent
import CAllocations
import HCI
import Setup
import Varlink
import VirtualRadio

struct Usage: Error {}

let numbers = CommandLine.arguments.dropFirst().compactMap(Int.init)
guard numbers.count == 2, numbers[0] >= 1, numbers[1] >= 1 else {
  print("usage: benchmark-delivery WATCHERS ROUNDS")
  throw Usage()
}
var delivery = Delivery(watchers: numbers[0])
delivery.warmUp()
let before = delivery.allocations
for round in 0..<numbers[1] { delivery.run(round) }
print(
  "events \(delivery.events) bytes \(delivery.bytes) allocations \(delivery.allocations - before)")
