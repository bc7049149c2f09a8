// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Agent
import Controller
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("The agent and an adapter of the machine")
struct AdapterTests {
  private static let silence = ControllerFault(
    .time(Instant(microseconds: 1_000_000)), .silence(milliseconds: 3_600_000))

  private func recoveries(_ bench: Workbench) -> [RecoveryAction] {
    bench.notices.compactMap { if case .radioRecovery(let rung, _) = $0 { rung } else { nil } }
  }

  // MARK: - Silence

  @Test("A quiet scene is asked about every half minute, and the answer is enough")
  func quietScene() {
    let bench = Workbench(.lights, scene: [])
    bench.run(milliseconds: 100_000)
    #expect(bench.agent.radioState == .on)
    #expect(bench.radioStates == [.recovering, .on])
    let asked = bench.commands.count { $0.opcode == CommandPacket.readLocalVersion.opcode }
    // Once in the bring-up.
    #expect(asked == 1 + 3)
  }

  @Test("A controller that is heard is not asked")
  func heard() {
    let bench = Workbench(.lights, scene: [.bulb(1)])
    bench.run(milliseconds: 100_000)
    #expect(bench.commands.count { $0.opcode == CommandPacket.readLocalVersion.opcode } == 1)
  }

  @Test("A controller that has fallen silent for good is found out within 33 s")
  func silent() {
    var script = ControllerScript()
    script.faults = [Self.silence]
    let bench = Workbench(.lights, scene: [], script: script)
    bench.run(milliseconds: 31_000)
    #expect(bench.agent.radioState == .on)
    bench.run(milliseconds: 1500)
    #expect(bench.agent.radioState == .recovering)
    #expect(
      bench.notices.contains(
        .bringupFailed(
          .controller(.timeout(CommandPacket.readLocalVersion.opcode)), retryMilliseconds: 1000)))
  }

  // MARK: - The ladder

  @Test("An adapter that answers no more is helped rung by rung, within a minute")
  func climbs() throws {
    var script = ControllerScript()
    script.faults = [Self.silence]
    var board = BoardProfile.attentive
    board.recovery = [RecoveryStep(kind: .usbReset)]
    let bench = Workbench(.lights, scene: [], script: script, board: board)
    bench.radioComes(as: .adapter)
    bench.run(milliseconds: 33_000)
    let failed = bench.now
    bench.run(milliseconds: 4500)
    // The scan, then the reset; behind it the adapter is let go.
    #expect(recoveries(bench) == [.restartScan, .reset, .takeDownAndUp])
    #expect(bench.mended == [.takeDownAndUp])
    #expect(bench.agent.isMendingRadio)
    #expect(bench.agent.radioState == .recovering)
    for rung in [RecoveryAction.powerCycle, .boardStep] {
      bench.radioComes(as: .adapter)
      bench.run(milliseconds: 2500)
      #expect(bench.mended.last == rung)
    }
    bench.remedyFails("nobody came")
    #expect(!bench.agent.isMendingRadio)
    #expect(bench.agent.radioState == .absent)
    #expect(bench.now.milliseconds(since: failed) < 60_000)
    #expect(
      bench.notices.contains(.bringupFailed(.remedy("nobody came"), retryMilliseconds: 30_000)))
    // Behind the wait it is opened again.
    bench.run(milliseconds: 30_000)
    #expect(bench.mended.count == 4)
  }

  @Test("A rung that helps is the last", arguments: [1900, 3500])
  func helps(milliseconds: Int) {
    var script = ControllerScript()
    script.faults = [
      ControllerFault(
        .time(Instant(microseconds: 1_000_000)), .silence(milliseconds: 30_000 + milliseconds))
    ]
    let bench = Workbench(.lights, scene: [.bulb(1)], script: script)
    bench.radioComes(as: .adapter)
    bench.run(milliseconds: 40_000)
    #expect(recoveries(bench) == (milliseconds == 1900 ? [.restartScan] : [.restartScan, .reset]))
    #expect(bench.agent.radioState == .on)
    #expect(bench.mended.isEmpty)
  }

  @Test("After six ladders in an hour a person is asked for")
  func needsAPerson() throws {
    let bench = Workbench(.lights)
    let client = try #require(bench.connect())
    bench.radioComes(as: .adapter)
    for _ in 0..<3600 {
      bench.run(milliseconds: 1000)
      if bench.agent.isMendingRadio { bench.remedyFails("it is broken") }
    }
    #expect(bench.mended.count { $0 == .powerCycle } == 6)
    let status = bench.call("Status", by: client)
    #expect("\(status)".contains("radioNeedsAPerson"))
  }

  // MARK: - Shared

  private func shared(_ kernel: StandInKernel = StandInKernel()) -> Workbench {
    let bench = Workbench(.lights)
    bench.kernel = kernel
    bench.radioComes(as: .sharedAdapter(index: kernel.index))
    return bench
  }

  @Test("A shared adapter scans by the kernel: it is sent no HCI scan command")
  func shares() {
    let bench = shared()
    bench.run(milliseconds: 1000)
    #expect(bench.agent.radioState == .on)
    #expect(bench.kernel?.monitors == [1])
    #expect(bench.commands.isEmpty)
  }

  /// Answers of a controller: Read Local Version, and LE Set Extended Scan Enable.
  private static let version: [UInt8] = [0x04, 0x0E, 0x0C, 0x01, 0x01, 0x10, 0, 9, 0, 0, 9, 0x5F, 0, 0, 0]
  private static func scanEnable(_ status: UInt8) -> [UInt8] { [0x04, 0x0E, 4, 1, 0x42, 0x20, status] }

  @Test("A scan that a shared controller refuses, which the kernel tells nobody, is no scan")
  func refusedShared() {
    let bench = shared()
    bench.run(milliseconds: 1000)
    bench.receive(Self.scanEnable(0x0C))
    #expect(bench.commands == [.readLocalVersion])
    bench.receive(Self.version)
    #expect(recoveries(bench) == [.restartScan])
    bench.receive(Self.scanEnable(0x0C))
    bench.receive(Self.version)
    #expect(bench.mended == [.reset])
    #expect(bench.agent.radioState == .recovering)
  }

  @Test("A scan that begins behind a refusal is one")
  func refusedOnce() {
    let bench = shared()
    bench.run(milliseconds: 1000)
    bench.receive(Self.scanEnable(0x0C))
    bench.receive(Self.scanEnable(0))
    bench.receive(Self.version)
    #expect(recoveries(bench).isEmpty)
    #expect(bench.agent.radioState == .on)
  }

  @Test("A shared controller that refuses the question whether it is there is not well")
  func refusesQuestion() {
    let bench = shared()
    bench.run(milliseconds: 30_500)
    bench.receive([0x04, 0x0E, 4, 1, 0x01, 0x10, 0x0C])
    #expect(recoveries(bench) == [.restartScan])
  }

  @Test("A shared adapter that was silent is asked for its version, and its answer is enough")
  func asksShared() {
    let bench = shared()
    bench.run(milliseconds: 30_500)
    #expect(bench.commands == [.readLocalVersion])
    bench.receive(Self.version)
    bench.run(milliseconds: 20_000)
    #expect(recoveries(bench).isEmpty)
    bench.run(milliseconds: 13_000)
    #expect(recoveries(bench) == [.restartScan])
    #expect(bench.kernel?.monitors == [2])
    #expect(bench.agent.radioState == .on)
    // The scan that was begun anew is asked about soon, and its silence is the next failure.
    bench.run(milliseconds: 4000)
    #expect(bench.mended == [.reset])
  }

  @Test("A shared adapter that somebody switches off is absent until it is switched on")
  func switchedOff() {
    let bench = shared()
    bench.tell(MgmtEvent(index: 3, .settings([.lowEnergy])))
    bench.turn()
    #expect(bench.agent.radioState == .absent)
    bench.tell(MgmtEvent(index: 3, .settings([.lowEnergy, .powered])))
    bench.turn()
    #expect(bench.agent.radioState == .on)
    #expect(recoveries(bench).isEmpty)
  }

  @Test("A shared adapter that rfkill blocks is let go: no reason for a ladder")
  func blocked() {
    var kernel = StandInKernel()
    kernel.settings = [.lowEnergy]
    kernel.refusals[.setPowered] = .blocked
    let bench = shared(kernel)
    bench.turn()
    #expect(bench.agent.radioState == .absent)
    #expect(recoveries(bench).isEmpty)
    #expect(bench.mended.isEmpty)
  }

  @Test("A shared adapter that another program takes is no reason for a ladder")
  func taken() {
    let bench = shared()
    bench.tell(MgmtEvent(index: 3, .removed))
    bench.turn()
    #expect(bench.agent.radioState == .absent)
    #expect(recoveries(bench).isEmpty)
    bench.radioComes(as: .sharedAdapter(index: 3))
    #expect(bench.agent.radioState == .on)
  }

  @Test("What the kernel was asked for is taken back before the adapter is let go")
  func farewell() {
    let bench = shared()
    bench.radioVanishes()
    #expect(bench.kernel?.monitors == [])
    #expect(
      bench.managed.suffix(3).map(\.opcode) == [
        .removeMonitor, .setDefaultSystemConfiguration, .setDefaultSystemConfiguration,
      ])
    #expect(bench.kernel?.discovery == KernelDuty(interval: 18, window: 18))
  }

  @Test("A hardware error of a shared adapter, which the kernel resets, is the beginning of a ladder")
  func hardwareError() {
    let bench = shared()
    bench.receive([0x04, 0x10, 0x01, 0x42])
    #expect(recoveries(bench) == [.restartScan])
    #expect(bench.agent.radioState == .on)
  }

  @Test("Who may only listen says so, and that the range immediate may not be recognised")
  func listens() throws {
    let bench = Workbench(.lights)
    let client = try #require(bench.connect())
    bench.radioComes(as: .listener)
    bench.run(milliseconds: 100_000)
    #expect(bench.agent.radioState == .on)
    #expect(bench.commands.isEmpty && bench.managed.isEmpty)
    let status = "\(bench.call("Status", by: client))"
    #expect(status.contains("immediateDegraded") && status.contains("CAP_NET_ADMIN"))
  }

  @Test("A message of the kernel that is cut is counted, and nothing else")
  func cut() {
    let bench = shared()
    bench.tellBytes([6, 0, 3, 0, 4, 0, 1])
    #expect(bench.agent.counters.reception.mgmtMessagesTruncated == 1)
    #expect(bench.agent.radioState == .on)
  }

  @Test("The share of time follows the requests: low, balanced with one, all of it with an immediate one")
  func duties() {
    let bench = Workbench(.lights, board: BoardProfile(name: "slow"))
    bench.kernel = StandInKernel()
    bench.radioComes(as: .sharedAdapter(index: 3))
    #expect(bench.kernel?.duty == KernelDuty(interval: 480, window: 48))
    bench.setRequests(1, immediate: 0)
    #expect(bench.kernel?.duty == KernelDuty(interval: 192, window: 96))
    bench.setRequests(1, immediate: 1)
    #expect(bench.kernel?.duty == KernelDuty(interval: 96, window: 96))
  }
}
