// SPDX-License-Identifier: GPL-3.0-or-later

import Testing
import Wireless

@Suite("When networks are not read, or a scan does not start or end")
struct NetworkScanErrorTests {
  @Test(
    "After each error the plan goes on, and the error is gone once networks are read",
    arguments: [
      WirelessError.interfaceDown, .interfaceMissing, .notWireless, .cannotTakeOver(.room),
      .system(call: "ioctl", reason: "Input/output error"),
    ])
  func errors(error: WirelessError) {
    let plan = PlanHarness()
    plan.follow(.picker)
    #expect(plan.next() == .read)
    plan.deliver(.failure(error))
    #expect(plan.error == error)
    #expect(plan.counters.errors == [error.word: 1])
    #expect(plan.next() == .read)
    #expect(plan.now == 5000)
    plan.deliver(.list(ages: []))
    #expect(plan.error == nil)
    #expect(plan.next() == .start)
  }

  @Test("Without the right to start scans networks are still read, and the error stays")
  func withoutRight() {
    let plan = PlanHarness()
    plan.follow(.picker)
    var starts = 0
    while plan.now < 60_000, let action = plan.next() {
      switch action {
      case .read: plan.deliver(.list(ages: []))
      case .start:
        starts += 1
        plan.start(.failure(.rightMissing))
      }
    }
    #expect(plan.error == .rightMissing)
    #expect((4...5).contains(starts))
    #expect(plan.counters.readings[.extensions] ?? 0 >= 10)
  }

  @Test("A scan that cannot be started is an error for as long as scans are needed, and none of the reading")
  func startRefused() {
    let plan = PlanHarness()
    let refusal = (call: "SIOCSIWSCAN", reason: "Operation not supported")
    plan.follow(.picker)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: []))
    #expect(plan.next() == .start)
    plan.start(.failure(.system(call: refusal.call, reason: refusal.reason)))
    #expect(plan.error == .startRefused(call: refusal.call, reason: refusal.reason))
    #expect(plan.readingError == nil)
    #expect(plan.counters.errors == ["system": 1])
    plan.follow(.known)
    #expect(plan.error == nil)
    // A scan that nothing needs any more may still be refused.
    plan.follow(.picker)
    while plan.next() == .read { plan.deliver(.list(ages: [])) }
    plan.follow(.known)
    plan.start(.failure(.interfaceDown))
    #expect(plan.error == nil)
  }

  @Test("A worker that does not reply is given up after a minute, and its late reply is ignored")
  func noReply() {
    let plan = PlanHarness()
    plan.follow(.picker)
    #expect(plan.next() == .read)
    let late = plan.number
    #expect(plan.next() == .read)
    #expect(plan.error == .noReply)
    #expect(plan.now == 65_000)
    plan.deliver(.list(ages: []), of: late)
    #expect(plan.error == .noReply)
    plan.deliver(.list(ages: []))
    #expect(plan.error == nil)
  }

  @Test("A scan that does not end is given up after 30 s")
  func endless() {
    let plan = PlanHarness()
    plan.follow(.picker)
    #expect(plan.next() == .read)
    while plan.error == nil {
      plan.deliver(.underWay)
      #expect(plan.next() == .read)
    }
    #expect(plan.error == .endless)
    #expect(plan.now == 35_000)
  }
}
