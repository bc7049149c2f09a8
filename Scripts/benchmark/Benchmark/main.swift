// SPDX-License-Identifier: GPL-3.0-or-later

// One workload, repeated ROUNDS times:
//
//     benchmark WORKLOAD DESCRIPTORS ROUNDS [REPORTS]
//
// Under callgrind with --instr-atstart=no only the instructions after the first round are counted: those of the
// workload. Prints the reports of a round, the allocations during all rounds, and what was matched, so that
// the compiler cannot remove the work. `replay-manifest` and `replay-capture` print the files for accessoryctl replay,
// and `check-manifest` that for accessoryctl check.

import CAllocations
import Discovery
import HCI
import Manifest
import Setup

let arguments = CommandLine.arguments
let numbers = arguments.dropFirst(2).compactMap(Int.init)
guard (4...5).contains(arguments.count), numbers.count == arguments.count - 2 else {
  print(
    "usage: benchmark [extended-]match|pipeline|unchanged|colliding|alternating|full-item|json|forwarded|unwanted|reload|one-mask|four-masks|all-masks|"
      + "replay-manifest|replay-capture|check-manifest "
      + "DESCRIPTORS ROUNDS [REPORTS]"
  )
  throw Usage()
}
/// The same with extended reports.
let isExtended = arguments[1].hasPrefix("extended-")
let workloadName = isExtended ? String(arguments[1].dropFirst("extended-".count)) : arguments[1]
let format = isExtended ? ReportFormat.extended : .legacy
let descriptors = numbers[0]
let rounds = numbers[1]
let reports = numbers.count > 2 ? numbers[2] : 20_000

struct Usage: Error {}

var manifest =
  switch workloadName {
  case "one-mask": Descriptors.oneKey(descriptors, masks: 1)
  case "four-masks", "check-manifest": Descriptors.oneKey(descriptors, masks: 4)
  case "all-masks": Descriptors.oneKey(descriptors, masks: descriptors)
  default: Descriptors.mixed(descriptors)
  }
// So few places that each device is heard twice a second.
if workloadName == "full-item" { manifest.gateway.capacities.matchesPerItem = 64 }
let stream =
  switch workloadName {
  case "alternating":
    Stream(alternatingBeacons: min(descriptors, Stream.targetCount), reports: reports, format)
  case "full-item":
    Stream(fullItemOf: Int(manifest.gateway.capacities.matchesPerItem), reports: reports, format)
  default:
    Stream(
      reports: reports, format,
      changePerMille: ["unchanged", "colliding", "forwarded", "unwanted"].contains(workloadName) ? 0 : 230,
      collides: workloadName == "colliding")
  }
if workloadName.hasPrefix("replay-") || workloadName == "check-manifest" {
  let isCapture = workloadName == "replay-capture"
  try ReplayFiles.write(
    isCapture ? ReplayFiles.capture(stream) : Array(ReplayFiles.manifest(manifest).utf8))
} else {
  var workload = Workload(manifest)
  // Whatever the first reloads keep for good is kept before counting.
  if workloadName == "reload" { for round in 0..<10 { workload.runReload(stream, manifest, round: round) } }
  if ["forwarded", "unwanted"].contains(workloadName) {
    workload.openReports(everything: workloadName == "forwarded")
  }
  let before = allocation_count()
  let releasesBefore = release_count()
  for round in 0..<rounds {
    if round == 1 { start_instruction_count() }
    switch workloadName {
    case "forwarded": workload.runReports(stream)
    case "json": workload.runJSON(reports)
    case "reload": workload.runReload(stream, manifest, round: round)
    case "pipeline", "unchanged", "unwanted", "colliding", "alternating", "full-item":
      workload.runPipeline(stream, round: round)
    default: workload.runMatcher(stream)
    }
  }
  stop_instruction_count()
  let allocations = allocation_count() - before
  let kept = Int(allocations) - Int(release_count() - releasesBefore)
  print(
    "reports \(stream.count) allocations \(allocations) matched \(workload.matched) bytes \(workload.byteCount)"
      + (workloadName == "reload" ? " kept \(kept)" : "")
  )
}
