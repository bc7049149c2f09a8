// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import Wireless

@Suite("When networks are read and scanned for")
struct NetworkScanPlanTests {
  @Test("Without an interface or a need nothing is done")
  func off() {
    let plan = PlanHarness()
    plan.follow(.picker, interface: nil)
    #expect(plan.deadline == nil)
    plan.follow(.none)
    #expect(plan.deadline == nil)
  }

  @Test("What the kernel knows is read first, and a fresh list of another program's scan spares a scan")
  func freshList() {
    let plan = PlanHarness()
    plan.follow(.picker)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [5000]))
    #expect(plan.next() == .read)
    #expect(plan.now == 5000)
    plan.deliver(.list(ages: [10_000]))
    #expect(plan.next() == .read)
    // 15 s after the other program's scan, which was 5 s before the first reading.
    plan.deliver(.list(ages: [15_000]))
    #expect(plan.next() == .start)
    #expect(plan.now == 10_000)
  }

  @Test("Without fresh networks a scan is started at once, and its end is looked for every second")
  func scan() {
    let plan = PlanHarness()
    plan.startFirstScan(.picker, .started(.extensions))
    for second in 1...3 {
      #expect(plan.next() == .read)
      #expect(plan.now == Int64(second) * 1000)
      plan.deliver(.underWay)
    }
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [100]))
    #expect(plan.completed.map(\.completedAt.microseconds) == [4_000_000])
    #expect(plan.counters.started == [.extensions: 1])
    #expect(plan.counters.completed == 1)
  }

  @Test(
    "Scans start at most every 15 s for a picker, and every 60 s otherwise or while associated",
    arguments: [
      (NetworkDemand.picker, false, Int64(15_000)), (.picker, true, 60_000), (.automatic, false, 60_000),
      (.automatic, true, 60_000),
    ])
  func intervals(demand: NetworkDemand, isAssociated: Bool, interval: Int64) {
    let plan = PlanHarness()
    plan.follow(demand)
    var starts: [Int64] = []
    while plan.now < 300_000, let action = plan.next() {
      switch action {
      case .read: plan.deliver(.list(ages: [], isAssociated: isAssociated))
      case .start:
        starts.append(plan.now)
        plan.start(.success(.started(.nl80211)))
      }
    }
    #expect(starts.count == Int(300_000 / interval) + 1 || starts.count == Int(300_000 / interval))
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 >= interval }, "\(starts)")
  }

  @Test("What is only known starts no scan")
  func known() {
    let plan = PlanHarness()
    plan.follow(.known)
    while plan.now < 120_000, let action = plan.next() {
      #expect(action == .read)
      plan.deliver(.list(ages: []))
    }
    #expect(plan.counters.started.isEmpty)
  }

  @Test("The plan waits for another program's scan, which counts like its own")
  func otherProgram() {
    let plan = PlanHarness()
    plan.startFirstScan(.picker, .busy(.extensions))
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [100]))
    #expect(plan.counters.busy == [.extensions: 1])
    #expect(plan.counters.completed == 1)
    while plan.next() == .read { plan.deliver(.list(ages: [])) }
    #expect(plan.now == 15_000)
  }

  @Test("A scan of another interface of the radio counts as none, and the agent scans once it may again")
  func otherInterfaceOfRadio() {
    let plan = PlanHarness()
    plan.follow(.picker)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [], reportsScans: true))
    #expect(plan.next() == .start)
    plan.start(.success(.busy(.nl80211)))
    while plan.next() == .read { plan.deliver(.list(ages: [], reportsScans: true)) }
    #expect(plan.now == 15_000)
    plan.start(.success(.started(.nl80211)))
    #expect(plan.next() == .read)
    #expect(plan.completed.isEmpty)
    plan.deliver(.list(ages: [], hasCompletedScan: true, reportsScans: true))
    #expect(plan.completed == [.from(15_000, to: 16_000)])
  }

  @Test("Where news report scans, one of whose end there are none has not completed")
  func withoutEnd() {
    let plan = PlanHarness()
    plan.follow(.known)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [100], isScanUnderWay: true, reportsScans: true))
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [100], reportsScans: true))
    #expect(plan.completed.isEmpty)
    #expect(plan.counters.completed == 0)
    #expect(plan.counters.aborted == 0)
  }

  @Test("Without news, a scan that ends early and has heard nothing counts as none")
  func cutShort() {
    for (seconds, age, count) in [(2, nil, 0), (2, 2001, 0), (2, 1999, 1), (3, nil, 1)]
      as [(Int64, Int64?, Int)]
    {
      let plan = PlanHarness()
      plan.startFirstScan(.picker, .started(.extensions))
      for _ in 1..<seconds {
        #expect(plan.next() == .read)
        plan.deliver(.underWay)
      }
      #expect(plan.next() == .read)
      #expect(plan.now == seconds * 1000)
      plan.deliver(.list(ages: age.map { [$0] } ?? []))
      #expect(plan.completed.count == count)
    }
  }

  @Test("Where news report scans, networks that were heard show none")
  func heardWithNews() {
    let plan = PlanHarness()
    plan.follow(.known)
    for _ in 1...3 {
      #expect(plan.next() == .read)
      plan.deliver(.list(ages: [10], reportsScans: true))
    }
    #expect(plan.completed.isEmpty)
  }

  @Test("A scan that the news report between two readings began no earlier than the reading before")
  func news() {
    let plan = PlanHarness()
    plan.follow(.known)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: []))
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [], hasCompletedScan: true))
    #expect(plan.completed == [.from(0, to: 15_000)])
  }

  @Test("A network that was heard after the last reading shows that another program has scanned since")
  func heard() {
    let plan = PlanHarness()
    plan.follow(.known)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [3000]))
    #expect(plan.next() == .read)
    // The same beacon as before: no scan.
    plan.deliver(.list(ages: [18_000]))
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [33_000, 14_999]))
    #expect(plan.completed == [.from(15_000, to: 30_000)])
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [29_999]))
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [10]))
    #expect(plan.completed == [.from(15_000, to: 30_000), .from(45_000, to: 60_000)])
    #expect(plan.counters.completed == 2)
  }

  @Test("Two such scans in 60 s lose a network, one does not")
  func lostByHeard() {
    let plan = PlanHarness()
    var table = NetworkTable()
    table.insert(.named("Gone", bssid: 9, signal: -50, lastSeen: 0))
    plan.follow(.known)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [10]))
    var losses: [Int64] = []
    while plan.now < 120_000, plan.next() == .read {
      // Another program scans at 20 s and at 95 s.
      let scan: Int64 = plan.now < 95_000 ? 20_000 : 95_000
      plan.deliver(.list(ages: plan.now < 20_000 ? [] : [plan.now - scan]))
      for scan in plan.completed.dropFirst(table.scans.count) { table.append(scan) }
      if !table.removeLost().isEmpty { losses.append(plan.now) }
    }
    #expect(plan.counters.completed == 2)
    #expect(losses == [105_000])
  }

  @Test("While the interface is connected, networks of other radios show a scan, and those of its own do not")
  func heardWhileAssociated() {
    let plan = PlanHarness()
    plan.follow(.known)
    for _ in 1...3 {
      #expect(plan.next() == .read)
      // The second network is the first one's radio by its address.
      plan.deliver(.list(ages: [10, 20], accessPoint: 0))
    }
    #expect(plan.completed.isEmpty)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [10, 20], others: [5000], accessPoint: 0))
    #expect(plan.completed == [.from(30_000, to: 45_000)])
    // After the connection has ended, its radio's beacons are no news of a scan.
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [10, 20]))
    #expect(plan.completed.count == 1)
  }

  @Test("A network that the last reading may have had shows no scan, however late the worker replies")
  func heardByLateWorker() {
    let plan = PlanHarness()
    plan.follow(.known)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [1]))
    #expect(plan.next() == .read)
    plan.now += 20_000
    plan.deliver(.list(ages: [15_001]))
    #expect(plan.completed.isEmpty)
  }

  @Test("The agent's own scan is counted once")
  func heardByOwnScan() {
    let plan = PlanHarness()
    plan.startFirstScan(.automatic, .started(.extensions))
    for age in [Int64(100), 5100, 10_100] {
      #expect(plan.next() == .read)
      plan.deliver(.list(ages: [age]))
    }
    #expect(plan.counters.completed == 1)
    while plan.next() == .read { plan.deliver(.list(ages: [plan.now - 900])) }
    #expect(plan.now == 60_000, "the next scan is due 60 s after the start of the one before")
  }

  @Test("An aborted scan counts as none")
  func aborted() {
    let plan = PlanHarness()
    plan.startFirstScan(.picker, .started(.nl80211))
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [], hasAbortedScan: true))
    #expect(plan.completed.isEmpty)
    #expect(plan.counters.aborted == 1)
  }

  @Test("What is known during other programs' scans is shown at once, also when they scan without a pause")
  func listsDuringScans() {
    let plan = PlanHarness()
    plan.follow(.picker)
    for count in 1...60 {
      #expect(plan.next() == .read)
      plan.deliver(.list(ages: [100], isScanUnderWay: true))
      #expect(plan.lists == count)
    }
    #expect(plan.error == nil)
    #expect(plan.now == 59_000)
    #expect(plan.counters.completed == 0)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [100]))
    #expect(plan.counters.completed == 1)
  }

  @Test("A scan that ended before the one under way began is counted")
  func endedBeforeNext() {
    let plan = PlanHarness()
    plan.follow(.known)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [100], isScanUnderWay: true))
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [100], hasCompletedScan: true, isScanUnderWay: true))
    #expect(plan.completed == [.from(0, to: 1000)])
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: [100], hasCompletedScan: true))
    #expect(plan.completed == [.from(0, to: 1000), .from(1000, to: 2000)])
  }

  @Test("A request that opens is served at once, and what is no longer needed ends")
  func demands() {
    let plan = PlanHarness()
    plan.follow(.known)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: []))
    plan.now += 1000
    plan.follow(.picker)
    #expect(plan.next() == .read)
    #expect(plan.now == 1000)
    plan.follow(.none)
    #expect(plan.deadline == nil)
    plan.deliver(.list(ages: [10]))
    #expect(plan.lists == 1)
  }

  @Test("For another interface the plan starts again, and only then the networks are forgotten")
  func otherInterface() {
    let plan = PlanHarness()
    #expect(plan.follow(.picker))
    #expect(plan.next() == .read)
    #expect(!plan.follow(.automatic))
    #expect(plan.follow(.automatic, interface: "wlan1"))
    plan.deliver(.list(ages: []))
    #expect(plan.lists == 0)
    #expect(plan.next() == .read)
    plan.deliver(.list(ages: []))
    #expect(plan.lists == 1)
  }
}
