// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Controller
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("The agent and its radio")
struct RadioTests {
  @Test("The manifest's radio is opened at once, brought up, and scans")
  func begins() {
    let bench = Workbench(.lights, scene: [.bulb(1)])
    #expect(bench.opened == [.h4("bench")])
    #expect(bench.agent.radioState == .recovering)
    bench.run(milliseconds: 100)
    #expect(bench.agent.radioState == .on)
    #expect(bench.radioStates == [.recovering, .on])
    #expect(bench.commands.first?.opcode == .reset)
  }

  @Test("A bring-up that fails is tried again after 1, 2, 4 seconds, and so on up to a minute")
  func backsOff() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.command(.reset), .refused(ErrorCode(rawValue: 0x03)))]
    let bench = Workbench(.lights, scene: [], script: script)
    bench.run(milliseconds: 240_000)
    let waits: [Int64] = bench.notices.compactMap { notice in
      if case .bringupFailed(_, let milliseconds) = notice { milliseconds } else { nil }
    }
    #expect(waits == [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    #expect(bench.agent.radioState == .recovering)
  }

  @Test("A controller that answers nothing is a failure after two seconds, and one that comes to is on again")
  func comesTo() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.time(Instant(microseconds: 0)), .silence(milliseconds: 4500))]
    let bench = Workbench(.lights, scene: [], script: script)
    bench.run(milliseconds: 4000)
    #expect(bench.notices.contains(.bringupFailed(.controller(.timeout(.reset)), retryMilliseconds: 1000)))
    bench.run(milliseconds: 6000)
    #expect(bench.agent.radioState == .on)
  }

  @Test("A controller that takes its time for every answer has two seconds for each")
  func slow() {
    var script = ControllerScript()
    script.answerMicroseconds = 1_500_000
    let bench = Workbench(.lights, scene: [], script: script)
    bench.run(milliseconds: 30_000)
    #expect(bench.agent.radioState == .on)
    let hasFailed = bench.notices.contains { if case .bringupFailed = $0 { true } else { false } }
    #expect(!hasFailed)
  }

  @Test("A controller without an address asks under one that this run decides")
  func addressless() {
    var script = ControllerScript()
    script.address = 0
    var manifest = GatewayManifest.lights
    manifest.gateway.scan = .active
    let bench = Workbench(manifest, scene: [.bulb(1)], script: script)
    bench.run(milliseconds: 500)
    #expect(bench.agent.radioState == .on)
    #expect(bench.commands.contains { $0.opcode == .leSetRandomAddress })
  }

  @Test("A hardware error while it scans is recovered from")
  func hardwareError() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.time(Instant(microseconds: 2_000_000)), .hardwareError(0x42))]
    let bench = Workbench(.lights, scene: [.bulb(1)], script: script)
    bench.run(milliseconds: 2500)
    #expect(
      bench.notices.contains(.bringupFailed(.controller(.hardwareError(0x42)), retryMilliseconds: 1000)))
    #expect(bench.agent.radioState == .recovering)
    bench.run(milliseconds: 1500)
    #expect(bench.agent.radioState == .on)
  }

  @Test("While a request with an immediate item is open the radio listens all the time, and is read at once")
  func urgent() throws {
    let bench = Workbench(.lights, scene: [.bulb(1)], board: BoardProfile(name: "slow"))
    bench.run(milliseconds: 500)
    #expect(!bench.isRadioUrgent)
    let before = bench.commands.count
    bench.setImmediateRequests(1)
    #expect(bench.isRadioUrgent)
    bench.run(milliseconds: 100)
    let opcodes = bench.commands.dropFirst(before).map(\.opcode)
    #expect(opcodes == [.leSetExtendedScanEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable])
    bench.setImmediateRequests(0)
    bench.run(milliseconds: 100)
    #expect(!bench.isRadioUrgent)
    bench.setRequests(1, immediate: 0)
    #expect(bench.isRadioUrgent)
  }

  @Test("A radio that speaks nonsense is counted, and nothing else")
  func nonsense() {
    let bench = Workbench(.lights, scene: [.bulb(1)])
    bench.run(milliseconds: 500)
    bench.receive([])
    bench.receive([0x04])
    bench.receive([0x04, 0x3E, 0xFF, 0x02])
    bench.receive([0x77, 1, 2, 3])
    bench.run(milliseconds: 500)
    #expect(bench.agent.radioState == .on)
  }

  @Test("What the data path waits for is done late by a drain interval at most, and never sooner than that")
  func coalesces() {
    let bench = Workbench(.lights, scene: (1...50).map { .blinking($0) })
    bench.run(milliseconds: 5000)
    let turns = bench.agent.counters.turns
    bench.run(milliseconds: 10_000)
    #expect(bench.agent.counters.turns - turns <= 1000)
  }
}
