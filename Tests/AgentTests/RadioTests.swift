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
    let harness = AgentHarness(.lights, scene: [.bulb(1)])
    #expect(harness.opened == [.h4("bench")])
    #expect(harness.agent.radioState == .recovering)
    harness.run(milliseconds: 100)
    #expect(harness.agent.radioState == .on)
    #expect(harness.radioStates == [.recovering, .on])
    #expect(harness.commands.first?.opcode == .reset)
  }

  @Test("A bring-up that fails is tried again after 1, 2, 4 seconds, and so on up to a minute")
  func backsOff() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.command(.reset), .refused(ErrorCode(rawValue: 0x03)))]
    let harness = AgentHarness(.lights, scene: [], script: script)
    harness.run(milliseconds: 240_000)
    let waits: [Int64] = harness.notices.compactMap { notice in
      if case .bringupFailed(_, let milliseconds) = notice { milliseconds } else { nil }
    }
    #expect(waits == [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    #expect(harness.agent.radioState == .recovering)
  }

  @Test("A controller that answers nothing is a failure after two seconds, and one that comes to is on again")
  func comesTo() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.time(Instant(microseconds: 0)), .silence(milliseconds: 4500))]
    let harness = AgentHarness(.lights, scene: [], script: script)
    harness.run(milliseconds: 4000)
    #expect(harness.notices.contains(.bringupFailed(.controller(.timeout(.reset)), retryMilliseconds: 1000)))
    harness.run(milliseconds: 6000)
    #expect(harness.agent.radioState == .on)
  }

  @Test("A controller that takes its time for every answer has two seconds for each")
  func slow() {
    var script = ControllerScript()
    script.answerMicroseconds = 1_500_000
    let harness = AgentHarness(.lights, scene: [], script: script)
    harness.run(milliseconds: 30_000)
    #expect(harness.agent.radioState == .on)
    let hasFailed = harness.notices.contains { if case .bringupFailed = $0 { true } else { false } }
    #expect(!hasFailed)
  }

  @Test("A controller without an address asks under one that this run decides")
  func addressless() {
    var script = ControllerScript()
    script.address = 0
    var manifest = GatewayManifest.lights
    manifest.gateway.scan = .active
    let harness = AgentHarness(manifest, scene: [.bulb(1)], script: script)
    harness.run(milliseconds: 500)
    #expect(harness.agent.radioState == .on)
    #expect(harness.commands.contains { $0.opcode == .leSetRandomAddress })
  }

  @Test("A hardware error while it scans is recovered from")
  func hardwareError() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.time(Instant(microseconds: 2_000_000)), .hardwareError(0x42))]
    let harness = AgentHarness(.lights, scene: [.bulb(1)], script: script)
    harness.run(milliseconds: 2500)
    #expect(
      harness.notices.contains(.bringupFailed(.controller(.hardwareError(0x42)), retryMilliseconds: 1000)))
    #expect(harness.agent.radioState == .recovering)
    harness.run(milliseconds: 1500)
    #expect(harness.agent.radioState == .on)
  }

  @Test("While a request with an immediate item is open the radio listens all the time, and is read at once")
  func urgent() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], board: BoardProfile(name: "slow"))
    harness.run(milliseconds: 500)
    #expect(!harness.isRadioUrgent)
    let before = harness.commands.count
    harness.setImmediateRequests(1)
    #expect(harness.isRadioUrgent)
    harness.run(milliseconds: 100)
    let opcodes = harness.commands.dropFirst(before).map(\.opcode)
    #expect(opcodes == [.leSetExtendedScanEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable])
    harness.setImmediateRequests(0)
    harness.run(milliseconds: 100)
    #expect(!harness.isRadioUrgent)
    harness.setRequests(1, immediate: 0)
    #expect(harness.isRadioUrgent)
  }

  @Test("A radio that speaks nonsense is counted, and nothing else")
  func nonsense() {
    let harness = AgentHarness(.lights, scene: [.bulb(1)])
    harness.run(milliseconds: 500)
    harness.receive([])
    harness.receive([0x04])
    harness.receive([0x04, 0x3E, 0xFF, 0x02])
    harness.receive([0x77, 1, 2, 3])
    harness.run(milliseconds: 500)
    #expect(harness.agent.radioState == .on)
  }

  @Test("What the data path waits for is done late by a drain interval at most, and never sooner than that")
  func coalesces() {
    let harness = AgentHarness(.lights, scene: (1...50).map { .blinking($0) })
    harness.run(milliseconds: 5000)
    let turns = harness.agent.counters.turns
    harness.run(milliseconds: 10_000)
    #expect(harness.agent.counters.turns - turns <= 1000)
  }
}
