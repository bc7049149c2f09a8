// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Agent
import Controller
import HCI
import Interfaces
import Manifest
import Testing
import Varlink
import VarlinkClient
import VirtualRadio

@Suite("The agent and an adapter of the machine")
struct AdapterTests {
  private static let silence = ControllerFault(
    .time(Instant(microseconds: 1_000_000)), .silence(milliseconds: 3_600_000))

  private func recoveries(_ harness: AgentHarness) -> [RecoveryAction] {
    harness.notices.compactMap { if case .radioRecovery(let action, _) = $0 { action } else { nil } }
  }

  // MARK: - Silence

  @Test("In a quiet scene the controller is probed every half minute, and its reply is enough")
  func quietScene() {
    let harness = AgentHarness(.lights, scene: [], after: 100_000)
    #expect(harness.agent.radioState == .on)
    #expect(harness.radioStates == [.recovering, .on])
    let asked = harness.commands.count { $0.opcode == CommandPacket.readLocalVersion.opcode }
    // Once during initialization.
    #expect(asked == 1 + 3)
  }

  @Test("A controller that sends reports is not probed")
  func reporting() {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], after: 100_000)
    #expect(harness.commands.count { $0.opcode == CommandPacket.readLocalVersion.opcode } == 1)
  }

  @Test("A controller that stays silent is detected within 33 s")
  func silent() {
    var script = ControllerScript()
    script.faults = [Self.silence]
    let harness = AgentHarness(.lights, scene: [], script: script, after: 31_000)
    #expect(harness.agent.radioState == .on)
    harness.run(milliseconds: 1500)
    #expect(harness.agent.radioState == .recovering)
    #expect(
      harness.notices.contains(
        .initializationFailed(
          .controller(.timeout(CommandPacket.readLocalVersion.opcode)), retryMilliseconds: 1000)))
  }

  // MARK: - Recovery

  @Test("An adapter that no longer replies gets each recovery action in turn, within a minute")
  func escalates() throws {
    var script = ControllerScript()
    script.faults = [Self.silence]
    var board = BoardProfile.attentive
    board.recovery = [RecoveryStep(kind: .usbReset)]
    let harness = AgentHarness(.lights, scene: [], script: script, board: board)
    harness.radioComes(as: .adapter(index: 3))
    harness.run(milliseconds: 33_000)
    let failed = harness.now
    harness.run(milliseconds: 4500)
    // The scan is restarted, then the controller reset; after that the adapter is released.
    #expect(recoveries(harness) == [.restartScan, .reset, .takeDownAndUp])
    #expect(harness.recoveryActions == [.takeDownAndUp])
    #expect(harness.agent.isRecoveringRadio)
    #expect(harness.agent.radioState == .recovering)
    for action in [RecoveryAction.powerCycle, .boardStep] {
      harness.radioComes(as: .adapter(index: 3))
      harness.run(milliseconds: 2500)
      #expect(harness.recoveryActions.last == action)
    }
    harness.remedyFails("the program failed")
    #expect(!harness.agent.isRecoveringRadio)
    #expect(harness.agent.radioState == .absent)
    #expect(harness.now.milliseconds(since: failed) < 60_000)
    #expect(
      harness.notices.contains(
        .initializationFailed(.remedy("the program failed"), retryMilliseconds: 30_000)))
    // After the wait the adapter is opened again.
    harness.run(milliseconds: 30_000)
    #expect(harness.recoveryActions.count == 4)
  }

  @Test("A recovery action that helps is the last one", arguments: [500, 1900])
  func helps(milliseconds: Int) {
    var script = ControllerScript()
    script.faults = [
      ControllerFault(
        .time(Instant(microseconds: 1_000_000)), .silence(milliseconds: 30_000 + milliseconds))
    ]
    let harness = AgentHarness(.lights, scene: [.bulb(1)], script: script)
    harness.radioComes(as: .adapter(index: 3))
    harness.run(milliseconds: 40_000)
    #expect(recoveries(harness) == (milliseconds == 500 ? [.restartScan] : [.restartScan, .reset]))
    #expect(harness.agent.radioState == .on)
    #expect(harness.recoveryActions.isEmpty)
  }

  @Test("After six escalations in an hour status asks for an operator")
  func needsOperator() throws {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect())
    harness.radioComes(as: .adapter(index: 3))
    for _ in 0..<3600 {
      harness.run(milliseconds: 1000)
      if harness.agent.isRecoveringRadio { harness.remedyFails("it is broken") }
    }
    #expect(harness.recoveryActions.count { $0 == .powerCycle } == 6)
    let status = harness.call("Status", by: client)
    #expect("\(status)".contains("radioNeedsAPerson"))
  }

  // MARK: - Shared

  private func shared(_ kernel: StandInKernel = StandInKernel()) -> AgentHarness {
    let harness = AgentHarness(GatewayManifest.lights.with { $0.gateway.radio = .index(kernel.index) })
    harness.kernel = kernel
    harness.radioComes(as: .sharedAdapter(index: kernel.index))
    return harness
  }

  @Test("A shared adapter scans by the kernel: the agent sends it no HCI scan command")
  func shares() {
    let harness = shared()
    harness.run(milliseconds: 1000)
    #expect(harness.agent.radioState == .on && harness.commands.isEmpty)
    #expect(harness.kernel?.monitors == [1])
  }

  /// A controller's replies to Read Local Version and LE Set Extended Scan Enable.
  private static let version: [UInt8] = [0x04, 0x0E, 0x0C, 0x01, 0x01, 0x10, 0, 9, 0, 0, 9, 0x5F, 0, 0, 0]
  private static func scanEnable(_ status: UInt8) -> [UInt8] { [0x04, 0x0E, 4, 1, 0x42, 0x20, status] }

  @Test("A scan that a shared controller refuses counts as failed, although the kernel does not report it")
  func refusedShared() throws {
    let harness = shared()
    harness.run(milliseconds: 1000)
    harness.receive(Self.scanEnable(0x0C))
    #expect(harness.commands == [.readLocalVersion])
    harness.receive(Self.version)
    #expect(recoveries(harness) == [.restartScan])
    harness.receive(Self.scanEnable(0x0C))
    harness.receive(Self.version)
    #expect(harness.recoveryActions == [.reset] && harness.agent.radioState == .recovering)
    let client = try #require(harness.connect())
    #expect("\(harness.call("Status", by: client))".contains("use access = \\\"exclusive\\\""))
  }

  @Test("A scan that starts after a refusal counts as running")
  func refusedOnce() {
    let harness = shared()
    harness.run(milliseconds: 1000)
    harness.receive(Self.scanEnable(0x0C))
    harness.receive(Self.scanEnable(0))
    harness.receive(Self.version)
    #expect(recoveries(harness).isEmpty)
    #expect(harness.agent.radioState == .on)
  }

  @Test("A shared controller that refuses the probe is recovered")
  func refusesProbe() {
    let harness = shared()
    harness.run(milliseconds: 30_500)
    harness.receive([0x04, 0x0E, 4, 1, 0x01, 0x10, 0x0C])
    #expect(recoveries(harness) == [.restartScan])
  }

  @Test("A silent shared adapter is asked for its version, and its reply is enough")
  func asksShared() {
    let harness = shared()
    harness.run(milliseconds: 30_500)
    #expect(harness.commands == [.readLocalVersion])
    harness.receive(Self.version)
    harness.run(milliseconds: 20_000)
    #expect(recoveries(harness).isEmpty)
    harness.run(milliseconds: 13_000)
    #expect(recoveries(harness) == [.restartScan])
    #expect(harness.kernel?.monitors == [2])
    #expect(harness.agent.radioState == .on)
    // The restarted scan is probed soon, and its silence is the next failure.
    harness.run(milliseconds: 4000)
    #expect(harness.recoveryActions == [.reset])
  }

  @Test("A shared adapter that is switched off is absent until it is switched on, and off to apps")
  func switchedOff() throws {
    let harness = shared()
    let app = try #require(harness.connect(user: 1000))
    harness.send(Message.call("io.accessoryd.Session.Activate", more: true) { _ in }, by: app)
    harness.receive(MgmtEvent(index: 3, .settings([.lowEnergy])))
    harness.turn()
    #expect(harness.agent.radioState == .absent)
    harness.receive(MgmtEvent(index: 3, .settings([.lowEnergy, .powered])))
    harness.turn()
    #expect(harness.agent.radioState == .on)
    #expect(recoveries(harness).isEmpty)
    #expect(app.replies.compactMap { $0.text("radio") } == ["on", "off", "recovering", "on"])
  }

  /// A shared adapter beside bluetoothd.
  private func sharedWithBluetoothd(power: Gateway.Power = .on) -> AgentHarness {
    let harness = AgentHarness(GatewayManifest.lights.with { $0.gateway.power = power })
    harness.kernel = StandInKernel()
    harness.runsBluetoothd = true
    harness.radioComes(as: .sharedAdapter(index: 3))
    return harness
  }

  private func switchOff(_ harness: AgentHarness) {
    harness.kernel?.settings.remove(.powered)
    harness.receive(MgmtEvent(index: 3, .settings([.lowEnergy])))
    harness.turn()
  }

  private func isPowered(_ harness: AgentHarness) -> Bool? { harness.kernel?.settings.contains(.powered) }

  @Test("An adapter that bluetoothd switched off as it ended is switched on", arguments: [0, 200, 1900])
  func bluetoothdEnds(after milliseconds: Int64) {
    let harness = sharedWithBluetoothd()
    switchOff(harness)
    harness.run(milliseconds: milliseconds)
    harness.bluetoothdEnds()
    harness.run(milliseconds: 900)
    #expect(harness.agent.radioState == .absent && isPowered(harness) == false)
    harness.run(milliseconds: 200)
    #expect(harness.agent.radioState == .on && isPowered(harness) == true)
    #expect(harness.notices.contains(.switchedOnAfterBluetoothd))
  }

  @Test("A bluetoothd that was started after the agent is noticed by what it changes")
  func laterBluetoothd() {
    let harness = shared()
    harness.run(milliseconds: 5000)
    #expect(harness.lookCount == 1)
    harness.runsBluetoothd = true
    harness.receive(MgmtEvent(index: 3, .monitorRemoved(handle: 0)))
    harness.turn()
    #expect(harness.lookCount == 2)
    switchOff(harness)
    harness.bluetoothdEnds()
    harness.run(milliseconds: 1100)
    #expect(isPowered(harness) == true)
  }

  @Test("An adapter stays off while bluetoothd runs, and if bluetoothd ends long afterwards")
  func bluetoothdRuns() {
    let harness = sharedWithBluetoothd()
    switchOff(harness)
    harness.run(milliseconds: 3000)
    #expect(harness.agent.radioState == .absent && isPowered(harness) == false)
    harness.bluetoothdEnds()
    harness.run(milliseconds: 5000)
    #expect(harness.agent.radioState == .absent && isPowered(harness) == false)
  }

  @Test("An adapter that is switched off when bluetoothd is restarted stays in the new one's care")
  func bluetoothdRestarts() {
    let harness = sharedWithBluetoothd()
    switchOff(harness)
    harness.bluetoothdEnds()
    harness.runsBluetoothd = true
    harness.run(milliseconds: 5000)
    #expect(isPowered(harness) == false)
  }

  @Test("An adapter that is switched off without bluetoothd stays off")
  func switchedOffWithoutBluetoothd() {
    let harness = shared()
    switchOff(harness)
    harness.run(milliseconds: 5000)
    #expect(isPowered(harness) == false)
  }

  @Test("An adapter that rfkill blocks as bluetoothd ends is not switched on")
  func bluetoothdEndsAfterRfkill() {
    let harness = sharedWithBluetoothd()
    switchOff(harness)
    // The shell releases a blocked adapter.
    harness.radioVanishes()
    harness.bluetoothdEnds()
    harness.run(milliseconds: 5000)
    #expect(isPowered(harness) == false)
  }

  @Test("With power = \"keep\" the agent never switches the adapter on")
  func keepsPower() {
    let harness = sharedWithBluetoothd(power: .keep)
    switchOff(harness)
    harness.bluetoothdEnds()
    harness.run(milliseconds: 5000)
    #expect(isPowered(harness) == false)
  }

  @Test("A manifest that changes power opens the adapter again")
  func reloadsPower() {
    let harness = sharedWithBluetoothd(power: .keep)
    #expect(harness.agent.radioState == .on && harness.opened.count == 1)
    harness.reading = .accepted(
      AgentCore.Configuration(.lights, board: .attentive, access: .operators), radioSource: "h4:bench",
      warnings: [])
    harness.readManifestAgain()
    #expect(harness.opened.count == 2)
  }

  @Test("A shared adapter that rfkill blocks is released without recovery")
  func blocked() {
    var kernel = StandInKernel()
    kernel.settings = [.lowEnergy]
    kernel.refusals[.setPowered] = .blocked
    let harness = shared(kernel)
    harness.turn()
    #expect(harness.agent.radioState == .absent)
    #expect(recoveries(harness).isEmpty)
    #expect(harness.recoveryActions.isEmpty)
  }

  @Test("A shared adapter that another program takes is released without recovery")
  func taken() {
    let harness = shared()
    harness.receive(MgmtEvent(index: 3, .removed))
    harness.turn()
    #expect(harness.agent.radioState == .absent)
    #expect(recoveries(harness).isEmpty)
    harness.radioComes(as: .sharedAdapter(index: 3))
    #expect(harness.agent.radioState == .on)
  }

  @Test("Requests to the kernel are undone before the adapter is released")
  func undoesRequests() {
    let harness = shared()
    harness.radioVanishes()
    #expect(harness.kernel?.monitors == [])
    #expect(
      harness.managed.suffix(3).map(\.opcode) == [
        .removeMonitor, .setDefaultSystemConfiguration, .setDefaultSystemConfiguration,
      ])
    #expect(harness.kernel?.discovery == KernelDuty(interval: 18, window: 18))
  }

  @Test("A hardware error of a shared adapter, which the kernel resets, starts the recovery")
  func hardwareError() {
    let harness = shared()
    harness.receive([0x04, 0x10, 0x01, 0x42])
    #expect(recoveries(harness) == [.restartScan])
    #expect(harness.agent.radioState == .on)
  }

  @Test("An agent that may only listen reports it, and that immediate range may not be recognised")
  func listens() throws {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect())
    harness.radioComes(as: .listener)
    harness.run(milliseconds: 100_000)
    #expect(harness.agent.radioState == .on)
    #expect(harness.commands.isEmpty && harness.managed.isEmpty)
    let status = "\(harness.call("Status", by: client))"
    #expect(status.contains("immediateDegraded") && status.contains("CAP_NET_ADMIN"))
  }

  @Test("A truncated message of the kernel is counted and logged, and has no other effect")
  func truncated() {
    let harness = shared()
    harness.receiveMgmtBytes([6, 0, 3, 0, 4, 0, 1])
    #expect(harness.agent.counters.reception.mgmtMessagesTruncated == 1)
    harness.run(milliseconds: 10)
    #expect(harness.notices.contains(.mgmtMessageIgnored(.truncated(byteCount: 7))))
    #expect(harness.agent.radioState == .on)
  }

  @Test("While any request is open, the radio listens all the time, or as much as the board allows")
  func duties() {
    var board = BoardProfile(name: "slow")
    #expect(dutiesForRequests(board) == [[480, 48], [96, 96], [96, 96]])
    board.balanced = ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 120)
    #expect(dutiesForRequests(board) == [[480, 48], [192, 96], [96, 96]])
    board.fast = ScanDuty(windowMilliseconds: 90, intervalMilliseconds: 120)
    #expect(dutiesForRequests(board) == [[480, 48], [192, 96], [192, 144]])
    board.low = ScanDuty(windowMilliseconds: 300, intervalMilliseconds: 300)
    #expect(dutiesForRequests(board) == [[480, 480], [480, 480], [480, 480]])
  }

  /// The kernel's interval and window without a request, with one, and with one for an immediate item.
  private func dutiesForRequests(_ board: BoardProfile) -> [[UInt16]] {
    let harness = AgentHarness(.lights, board: board)
    harness.kernel = StandInKernel()
    harness.radioComes(as: .sharedAdapter(index: 3))
    return [(0, 0), (1, 0), (1, 1)].map { open, immediate in
      harness.setRequests(open, immediate: immediate)
      return harness.kernel.map { [$0.duty.interval, $0.duty.window] } ?? []
    }
  }
}
