// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
import Testing

@Suite("A scan through the management interface")
struct MgmtScanTests {
  private var plan: ScanPlan {
    var plan = ScanPlan()
    plan.mode = .passive
    plan.duty = ScanDuty(windowMilliseconds: 30, intervalMilliseconds: 300)
    return plan
  }

  private func started(_ change: (inout StandInKernel) -> Void = { _ in }) -> MgmtScanHarness {
    var harness = MgmtScanHarness()
    change(&harness.kernel)
    harness.start(plan)
    return harness
  }

  @Test("A start sets how the kernel scans and adds a monitor, and sends no other command")
  func begins() {
    let harness = started()
    #expect(harness.scan.state == .scanning(isActive: false))
    #expect(harness.kernel.monitors == [1])
    #expect(harness.kernel.duty == KernelDuty(interval: 480, window: 48))
    #expect(
      harness.kernel.asked == [
        .readControllerInformation, .readDefaultSystemConfiguration, .setDefaultSystemConfiguration,
        .addMonitor,
      ])
    #expect(harness.scan.address == 0x0605_0403_0201)
  }

  @Test(
    "A scan removes what a killed agent left in the kernel, and at the end restores what that agent found")
  func restoresStateOfKilledAgent() {
    var harness = started()
    let state = harness.scan.kernelScanState
    #expect(state == KernelScanState(monitor: 1, originalDuty: KernelDuty(interval: 96, window: 48)))
    harness.scan = MgmtScan(index: 3, kernelScanState: state)
    harness.start(plan)
    #expect(harness.scan.state == .scanning(isActive: false))
    #expect(harness.kernel.monitors == [2])
    #expect(harness.scan.restoringCommands.map(\.opcode) == [.removeMonitor, .setDefaultSystemConfiguration])
    #expect(
      harness.scan.restoringCommands.last
        == .setDefaults(KernelDuty(interval: 96, window: 48), for: .monitors, 3))
  }

  @Test("A monitor of a killed agent that another program has removed causes no error")
  func toleratesRemovedMonitor() {
    var harness = MgmtScanHarness()
    harness.scan = MgmtScan(index: 3, kernelScanState: KernelScanState(monitor: 9))
    harness.kernel.refusals[.removeMonitor] = MgmtStatus(rawValue: 0x0D)
    harness.start(plan)
    #expect(harness.scan.state == .scanning(isActive: false))
    #expect(harness.kernel.monitors == [1])
  }

  @Test("An adapter that is off is powered on, LE first")
  func switchesOn() {
    let harness = started { $0.settings = [] }
    #expect(harness.scan.state == .scanning(isActive: false))
    #expect(harness.kernel.asked.prefix(3) == [.readControllerInformation, .setLowEnergy, .setPowered])
  }

  @Test("An adapter that another program powers off stays off, and scans again once it is on")
  func respectsOthers() {
    var harness = started()
    harness.kernel.settings = [.lowEnergy]
    harness.deliver(.settings([.lowEnergy]))
    #expect(harness.scan.state == .switchedOff)
    #expect(!harness.kernel.settings.contains(.powered))
    harness.kernel.settings = [.powered, .lowEnergy]
    harness.deliver(.settings([.powered, .lowEnergy]))
    #expect(harness.scan.state == .scanning(isActive: false))
  }

  @Test(
    "An adapter is powered on at the start and on demand, or never if the agent may not",
    arguments: [true, false])
  func powersOn(mayPowerOn: Bool) {
    var harness = MgmtScanHarness()
    harness.scan = MgmtScan(index: 3, powersOn: mayPowerOn)
    harness.kernel.settings = [.lowEnergy]
    harness.start(plan)
    #expect(harness.kernel.settings.contains(.powered) == mayPowerOn)
    harness.kernel.settings = [.lowEnergy]
    harness.deliver(.settings([.lowEnergy]))
    #expect(harness.scan.state == .switchedOff)
    harness.powerOn()
    #expect(harness.kernel.settings.contains(.powered) == mayPowerOn)
  }

  @Test(
    "A monitor that another program removed is added again; other monitors do not matter",
    arguments: [0, 1, 7])
  func keepsTheMonitor(handle: UInt16) {
    var harness = started()
    if handle != 7 { harness.kernel.monitors = [] }
    let before = harness.kernel.asked.count
    harness.deliver(.monitorRemoved(handle: handle))
    #expect(harness.kernel.asked.dropFirst(before) == (handle == 7 ? [] : [.addMonitor]))
    #expect(harness.kernel.monitors.count == 1)
  }

  @Test("A new duty is set without a monitor: the kernel reads it when it begins to scan")
  func changesDuty() {
    var harness = started()
    let before = harness.kernel.asked.count
    var busy = plan
    busy.duty.windowMilliseconds = busy.duty.intervalMilliseconds
    harness.follow(busy)
    #expect(harness.kernel.duty == KernelDuty(interval: 480, window: 480))
    #expect(
      harness.kernel.asked.dropFirst(before) == [.removeMonitor, .setDefaultSystemConfiguration, .addMonitor])
    #expect(harness.scan.state == .scanning(isActive: false))
  }

  @Test("An active plan discovers, again after the kernel has ended discovery, and stops at its end")
  func discovers() {
    var harness = started()
    var active = plan
    active.mode = .active
    harness.follow(active)
    #expect(harness.scan.state == .scanning(isActive: true))
    let before = harness.kernel.asked.count
    harness.deliver(.discovering(false))
    #expect(harness.kernel.asked.dropFirst(before) == [.startDiscovery])
    harness.follow(plan)
    #expect(harness.kernel.asked.suffix(2) == [.stopDiscovery, .setDefaultSystemConfiguration])
    #expect(harness.scan.state == .scanning(isActive: false))
  }

  @Test("Discovery has the plan's duty, and other programs' discovery is unchanged")
  func discoversForItsShare() {
    var harness = started()
    var active = plan
    active.mode = .active
    harness.follow(active)
    #expect(harness.kernel.discoveredWith == KernelDuty(interval: 480, window: 48))
    active.duty.windowMilliseconds = active.duty.intervalMilliseconds
    harness.follow(active)
    #expect(harness.kernel.discoveredWith == KernelDuty(interval: 480, window: 480))
    #expect(
      harness.scan.restoringCommands.last
        == .setDefaults(KernelDuty(interval: 18, window: 18), for: .discovery, 3))

    // Killed: the next agent takes it back.
    var next = harness
    next.scan = MgmtScan(index: 3, kernelScanState: harness.scan.kernelScanState)
    next.start(plan)
    #expect(next.kernel.discovery == KernelDuty(interval: 18, window: 18))
    #expect(next.scan.state == .scanning(isActive: false))

    harness.follow(plan)
    #expect(harness.kernel.discovery == KernelDuty(interval: 18, window: 18))
    #expect(harness.scan.kernelScanState.originalDiscovery == nil)
  }

  @Test("Active windows of an automatic plan begin and end by themselves")
  func windows() {
    var harness = MgmtScanHarness()
    var auto = plan
    (auto.mode, auto.needsScanResponses) = (.auto, true)
    harness.start(auto)
    #expect(harness.scan.state == .scanning(isActive: true))
    harness.pass(milliseconds: 2000)
    #expect(harness.scan.state == .scanning(isActive: false))
    harness.pass(milliseconds: 18_000)
    #expect(harness.scan.state == .scanning(isActive: true))
  }

  @Test("The discovery of another program is enough, and is never stopped; the agent's own follows it")
  func sharesDiscovery() {
    var harness = started()
    var active = plan
    active.mode = .active
    harness.kernel.refusals[.startDiscovery] = .busy
    harness.follow(active)
    #expect(harness.scan.state == .scanning(isActive: false))
    harness.kernel.refusals = [:]
    harness.pass(milliseconds: 4999)
    #expect(harness.scan.state == .scanning(isActive: false))
    harness.pass(milliseconds: 1)
    #expect(harness.scan.state == .scanning(isActive: true))

    var other = started()
    other.deliver(.discovering(true))
    #expect(other.scan.state == .scanning(isActive: true))
    other.follow(nil)
    #expect(!other.kernel.asked.contains(.stopDiscovery))
  }

  @Test("A kernel without monitors scans by discovery, and hasMonitors is false")
  func withoutMonitors() {
    let harness = started { $0.refusals[.addMonitor] = .unknownCommand }
    #expect(harness.scan.state == .scanning(isActive: true))
    #expect(!harness.scan.hasMonitors)
  }

  @Test("A kernel whose duty cannot be set scans with its own")
  func withoutDefaults() {
    let harness = started { $0.refusals[.readDefaultSystemConfiguration] = .unknownCommand }
    #expect(harness.scan.state == .scanning(isActive: false))
    #expect(harness.kernel.duty == KernelDuty(interval: 96, window: 48))
  }

  @Test("Without a capability, blocked by rfkill, and without LE the scan fails with a named error")
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

  @Test("A kernel that does not reply fails after ten seconds, and a late reply does no harm")
  func timesOut() {
    var harness = started { $0.isMute = true }
    #expect(harness.scan.state == .preparing)
    harness.pass(milliseconds: 10_000)
    #expect(harness.scan.state == .failed(.timeout(.readControllerInformation)))
    harness.deliver(.settings([.powered, .lowEnergy]))
    harness.deliver(.completed(.readControllerInformation, .success, returned: []))
    #expect(harness.scan.state == .failed(.timeout(.readControllerInformation)))
    harness.kernel.isMute = false
    harness.start(plan)
    #expect(harness.scan.state == .scanning(isActive: false))
  }

  @Test("An adapter that the kernel has removed is gone")
  func gone() {
    var harness = started()
    harness.deliver(.removed)
    #expect(harness.scan.state == .failed(.gone))
    #expect(harness.scan.restoringCommands.isEmpty)
  }

  @Test("A scan that restarts replaces its monitor")
  func restarts() {
    var harness = started()
    harness.restart()
    #expect(harness.kernel.monitors == [2])
    #expect(harness.scan.state == .scanning(isActive: false))
  }

  @Test("The restoring commands leave the kernel as it was")
  func restoringCommands() {
    var harness = started()
    for command in harness.scan.restoringCommands { _ = harness.kernel.answer(command) }
    #expect(harness.kernel.monitors == [])
    #expect(harness.kernel.duty == KernelDuty(interval: 96, window: 48))
    harness.scan.stop()
    #expect(harness.scan.restoringCommands == [])
  }
}
