// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
import Testing

@Suite("A scan beside others")
struct MgmtScanTests {
  private var plan: ScanPlan {
    var plan = ScanPlan()
    plan.mode = .passive
    plan.duty = ScanDuty(windowMilliseconds: 30, intervalMilliseconds: 300)
    return plan
  }

  private func started(_ change: (inout StandInKernel) -> Void = { _ in }) -> SharedBench {
    var bench = SharedBench()
    change(&bench.kernel)
    bench.start(plan)
    return bench
  }

  @Test("The kernel is told how to scan, and has a monitor to scan for; no other command is needed")
  func begins() {
    let bench = started()
    #expect(bench.scan.state == .scanning(isActive: false))
    #expect(bench.kernel.monitors == [1])
    #expect(bench.kernel.duty == KernelDuty(interval: 480, window: 48))
    #expect(
      bench.kernel.asked == [
        .readControllerInformation, .readDefaultSystemConfiguration, .setDefaultSystemConfiguration,
        .addMonitor,
      ])
    #expect(bench.scan.address == 0x0605_0403_0201)
  }

  @Test("What a killed agent left in the kernel is taken back, and what it found is put back at the end")
  func takesBackRemains() {
    var bench = started()
    let remains = bench.scan.remains
    #expect(remains == KernelScanState(monitor: 1, originalDuty: KernelDuty(interval: 96, window: 48)))
    bench.scan = MgmtScan(index: 3, remains: remains)
    bench.start(plan)
    #expect(bench.scan.state == .scanning(isActive: false))
    #expect(bench.kernel.monitors == [2])
    #expect(bench.scan.farewell.map(\.opcode) == [.removeMonitor, .setDefaultSystemConfiguration])
    #expect(bench.scan.farewell.last == .setDefaults(KernelDuty(interval: 96, window: 48), for: .monitors, 3))
  }

  @Test("What a killed agent left and somebody took away meanwhile is not missed")
  func toleratesRemainsThatWent() {
    var bench = SharedBench()
    bench.scan = MgmtScan(index: 3, remains: KernelScanState(monitor: 9))
    bench.kernel.refusals[.removeMonitor] = MgmtStatus(rawValue: 0x0D)
    bench.start(plan)
    #expect(bench.scan.state == .scanning(isActive: false))
    #expect(bench.kernel.monitors == [1])
  }

  @Test("An adapter that is off is switched on, LE first")
  func switchesOn() {
    let bench = started { $0.settings = [] }
    #expect(bench.scan.state == .scanning(isActive: false))
    #expect(bench.kernel.asked.prefix(3) == [.readControllerInformation, .setLowEnergy, .setPowered])
  }

  @Test("Whoever switches the adapter off is not contradicted, and when it is on again it scans")
  func respectsOthers() {
    var bench = started()
    bench.kernel.settings = [.lowEnergy]
    bench.tell(.settings([.lowEnergy]))
    #expect(bench.scan.state == .switchedOff)
    #expect(!bench.kernel.settings.contains(.powered))
    bench.kernel.settings = [.powered, .lowEnergy]
    bench.tell(.settings([.powered, .lowEnergy]))
    #expect(bench.scan.state == .scanning(isActive: false))
  }

  @Test(
    "A monitor that somebody removed is added again, that of another is not missed", arguments: [0, 1, 7])
  func keepsTheMonitor(handle: UInt16) {
    var bench = started()
    if handle != 7 { bench.kernel.monitors = [] }
    let before = bench.kernel.asked.count
    bench.tell(.monitorRemoved(handle: handle))
    #expect(bench.kernel.asked.dropFirst(before) == (handle == 7 ? [] : [.addMonitor]))
    #expect(bench.kernel.monitors.count == 1)
  }

  @Test("Another share of time is set without a monitor: the kernel reads it when it begins to scan")
  func changesDuty() {
    var bench = started()
    let before = bench.kernel.asked.count
    var busy = plan
    busy.isImmediate = true
    bench.follow(busy)
    #expect(bench.kernel.duty == KernelDuty(interval: 480, window: 480))
    #expect(
      bench.kernel.asked.dropFirst(before) == [.removeMonitor, .setDefaultSystemConfiguration, .addMonitor])
    #expect(bench.scan.state == .scanning(isActive: false))
  }

  @Test("An active plan discovers, again when the kernel has ended it, and stops when it is over")
  func discovers() {
    var bench = started()
    var active = plan
    active.mode = .active
    bench.follow(active)
    #expect(bench.scan.state == .scanning(isActive: true))
    let before = bench.kernel.asked.count
    bench.tell(.discovering(false))
    #expect(bench.kernel.asked.dropFirst(before) == [.startDiscovery])
    bench.follow(plan)
    #expect(bench.kernel.asked.suffix(2) == [.stopDiscovery, .setDefaultSystemConfiguration])
    #expect(bench.scan.state == .scanning(isActive: false))
  }

  @Test("It discovers for the same share of time, and others discover as before")
  func discoversForItsShare() {
    var bench = started()
    var active = plan
    active.mode = .active
    bench.follow(active)
    #expect(bench.kernel.discoveredWith == KernelDuty(interval: 480, window: 48))
    active.isImmediate = true
    bench.follow(active)
    #expect(bench.kernel.discoveredWith == KernelDuty(interval: 480, window: 480))
    #expect(
      bench.scan.farewell.last == .setDefaults(KernelDuty(interval: 18, window: 18), for: .discovery, 3))

    // Killed: the next agent takes it back.
    var next = bench
    next.scan = MgmtScan(index: 3, remains: bench.scan.remains)
    next.start(plan)
    #expect(next.kernel.discovery == KernelDuty(interval: 18, window: 18))
    #expect(next.scan.state == .scanning(isActive: false))

    bench.follow(plan)
    #expect(bench.kernel.discovery == KernelDuty(interval: 18, window: 18))
    #expect(bench.scan.remains.originalDiscovery == nil)
  }

  @Test("Active windows of an automatic plan begin and end by themselves")
  func windows() {
    var bench = SharedBench()
    var auto = plan
    (auto.mode, auto.needsScanResponses) = (.auto, true)
    bench.start(auto)
    #expect(bench.scan.state == .scanning(isActive: true))
    bench.pass(milliseconds: 2000)
    #expect(bench.scan.state == .scanning(isActive: false))
    bench.pass(milliseconds: 18_000)
    #expect(bench.scan.state == .scanning(isActive: true))
  }

  @Test("Discovery that others have is enough, and is never ended by us; ours comes after it")
  func sharesDiscovery() {
    var bench = started()
    var active = plan
    active.mode = .active
    bench.kernel.refusals[.startDiscovery] = .busy
    bench.follow(active)
    #expect(bench.scan.state == .scanning(isActive: false))
    bench.kernel.refusals = [:]
    bench.pass(milliseconds: 4999)
    #expect(bench.scan.state == .scanning(isActive: false))
    bench.pass(milliseconds: 1)
    #expect(bench.scan.state == .scanning(isActive: true))

    var other = started()
    other.tell(.discovering(true))
    #expect(other.scan.state == .scanning(isActive: true))
    other.follow(nil)
    #expect(!other.kernel.asked.contains(.stopDiscovery))
  }

  @Test("A kernel without monitors scans by discovery, and this is said")
  func withoutMonitors() {
    let bench = started { $0.refusals[.addMonitor] = .unknownCommand }
    #expect(bench.scan.state == .scanning(isActive: true))
    #expect(!bench.scan.hasMonitors)
  }

  @Test("A kernel whose share of time cannot be set scans with its own")
  func withoutDefaults() {
    let bench = started { $0.refusals[.readDefaultSystemConfiguration] = .unknownCommand }
    #expect(bench.scan.state == .scanning(isActive: false))
    #expect(bench.kernel.duty == KernelDuty(interval: 96, window: 48))
  }

  @Test("Without a right, behind a switch, and without LE it fails by name")
  func fails() {
    #expect(
      started { $0.refusals[.setDefaultSystemConfiguration] = .permissionDenied }.scan.state
        == .failed(.permissionDenied))
    #expect(
      started {
        $0.settings = [.lowEnergy]
        $0.refusals[.setPowered] = .blocked
      }.scan.state == .failed(.blocked))
    #expect(started { $0.supported = [.powered] }.scan.state == .failed(.withoutLowEnergy))
    #expect(started { $0.refusals[.addMonitor] = .invalidIndex }.scan.state == .failed(.gone))
    #expect(
      started { $0.refusals[.addMonitor] = .busy }.scan.state == .failed(.refused(.addMonitor, .busy)))
  }

  @Test("A kernel that does not answer fails after ten seconds, and what comes late does no harm")
  func timesOut() {
    var bench = started { $0.isMute = true }
    #expect(bench.scan.state == .preparing)
    bench.pass(milliseconds: 10_000)
    #expect(bench.scan.state == .failed(.timeout(.readControllerInformation)))
    bench.tell(.settings([.powered, .lowEnergy]))
    bench.tell(.completed(.readControllerInformation, .success, returned: []))
    #expect(bench.scan.state == .failed(.timeout(.readControllerInformation)))
    bench.kernel.isMute = false
    bench.start(plan)
    #expect(bench.scan.state == .scanning(isActive: false))
  }

  @Test("An adapter that the kernel knows no more is gone")
  func gone() {
    var bench = started()
    bench.tell(.removed)
    #expect(bench.scan.state == .failed(.gone))
    #expect(bench.scan.farewell.isEmpty)
  }

  @Test("A scan that is begun anew gives up its monitor for another")
  func restarts() {
    var bench = started()
    bench.restart()
    #expect(bench.kernel.monitors == [2])
    #expect(bench.scan.state == .scanning(isActive: false))
  }

  @Test("The farewell leaves the kernel as it was")
  func farewell() {
    var bench = started()
    for command in bench.scan.farewell { _ = bench.kernel.answer(command) }
    #expect(bench.kernel.monitors == [])
    #expect(bench.kernel.duty == KernelDuty(interval: 96, window: 48))
    bench.scan.stop()
    #expect(bench.scan.farewell == [])
  }
}
