// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI

/// A mgmt scan and a stand-in for the kernel, in virtual time.
struct MgmtScanHarness {
  var kernel = StandInKernel()
  var scan = MgmtScan(index: 3)
  var now = Instant(microseconds: 0)

  mutating func start(_ plan: ScanPlan?) { settle(scan.start(plan, now: now)) }
  mutating func follow(_ plan: ScanPlan?) { settle(scan.follow(plan, now: now)) }
  mutating func powerOn() { settle(scan.powerOn(now: now)) }
  mutating func restart() { settle(scan.restart(now: now)) }
  mutating func deliver(_ content: MgmtEvent.Content) {
    settle(scan.received(kernel.event(content), now: now))
  }

  mutating func pass(milliseconds: Int64) {
    now = now.advanced(milliseconds: milliseconds)
    settle(scan.timeout(now: now))
  }

  private mutating func settle(_ output: MgmtScan.Output) {
    var commands = [output.command].compactMap { $0 }
    while !commands.isEmpty {
      for event in kernel.answer(commands.removeFirst()) {
        if let command = scan.received(event, now: now).command { commands.append(command) }
      }
    }
  }
}
