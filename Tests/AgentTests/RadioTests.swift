// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
import Agent
import Controller
import HCI
import Interfaces
import Manifest
import Testing
import Varlink
import VirtualRadio

@Suite("The agent and its radio")
struct RadioTests {
  @Test("The manifest's radio is opened at once, initialized, and scans")
  func begins() {
    let harness = AgentHarness(.lights, scene: [.bulb(1)])
    #expect(harness.opened == [.h4("bench")])
    #expect(harness.agent.radioState == .recovering)
    harness.run(milliseconds: 100)
    #expect(harness.agent.radioState == .on)
    #expect(harness.radioStates == [.recovering, .on])
    #expect(harness.commands.first?.opcode == .reset)
  }

  @Test("A failed initialization is retried after 1, 2, 4 seconds, and so on up to a minute")
  func backsOff() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.command(.reset), .refused(ErrorCode(rawValue: 0x03)))]
    let harness = AgentHarness(.lights, scene: [], script: script, after: 240_000)
    let waits: [Int64] = harness.notices.compactMap { notice in
      if case .initializationFailed(_, let milliseconds) = notice { milliseconds } else { nil }
    }
    #expect(waits == [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    #expect(harness.agent.radioState == .recovering)
  }

  @Test(
    "A controller that refuses extended scanning scans with legacy commands, and the status says what helps")
  func refusesExtendedScan() throws {
    var script = ControllerScript()
    script.faults = [ControllerFault(.command(.leSetExtendedScanEnable), .refused(ErrorCode(rawValue: 0x01)))]
    let harness = AgentHarness(.lights, scene: [.bulb(1)], script: script, after: 3000)
    #expect(harness.agent.radioState == .on && harness.radioStates == [.recovering, .on])
    let client = try #require(harness.connect())
    let status = "\(harness.call("Status", by: client))"
    for word in ["extendedScanRefused", "known-limits", "0x2042", "error 0x01", "legacy"] {
      #expect(status.contains(word), "\(word)")
    }
    #expect(harness.call("Sightings", by: client, more: true).count > 0)
    func enables() -> Int { harness.commands.count { $0.opcode == .leSetExtendedScanEnable } }
    #expect(enables() == 2)
    harness.receive([0x04, 0x10, 0x01, 0x42])
    harness.run(milliseconds: 3000)
    #expect(enables() == 4 && harness.agent.radioState == .on)
  }

  @Test("A controller that does not reply has failed after two seconds, and is on again when it recovers")
  func recovers() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.time(Instant(microseconds: 0)), .silence(milliseconds: 4500))]
    let harness = AgentHarness(.lights, scene: [], script: script, after: 4000)
    #expect(
      harness.notices.contains(.initializationFailed(.controller(.timeout(.reset)), retryMilliseconds: 1000)))
    harness.run(milliseconds: 6000)
    #expect(harness.agent.radioState == .on)
  }

  @Test("A slow controller has two seconds for each reply")
  func slow() {
    var script = ControllerScript()
    script.answerMicroseconds = 1_500_000
    let harness = AgentHarness(.lights, scene: [], script: script, after: 30_000)
    #expect(harness.agent.radioState == .on)
    let hasFailed = harness.notices.contains { if case .initializationFailed = $0 { true } else { false } }
    #expect(!hasFailed)
  }

  @Test("A controller without an address gets a random one for this run")
  func addressless() {
    var script = ControllerScript()
    script.address = 0
    var manifest = GatewayManifest.lights
    manifest.gateway.scan = .active
    let harness = AgentHarness(manifest, scene: [.bulb(1)], script: script, after: 500)
    #expect(harness.agent.radioState == .on)
    #expect(harness.commands.contains { $0.opcode == .leSetRandomAddress })
  }

  @Test("The agent recovers from a hardware error while it scans")
  func hardwareError() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.time(Instant(microseconds: 2_000_000)), .hardwareError(0x42))]
    let harness = AgentHarness(.lights, scene: [.bulb(1)], script: script, after: 2500)
    #expect(
      harness.notices.contains(
        .initializationFailed(.controller(.hardwareError(0x42)), retryMilliseconds: 1000)))
    #expect(harness.agent.radioState == .recovering)
    harness.run(milliseconds: 1500)
    #expect(harness.agent.radioState == .on)
  }

  @Test("While a request with an immediate item is open, the radio scans all the time and is read at once")
  func urgent() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], board: BoardProfile(name: "slow"), after: 500)
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

  @Test(
    "ScanActively asks devices for scan responses until its time or its connection ends, where scan is auto")
  func scansActively() throws {
    func mode(_ harness: AgentHarness) throws -> String? {
      let client = try #require(harness.connect(user: 0, groups: []))
      harness.send(Message.text("io.accessoryd.Gateway.Status", "", more: false), by: client)
      return client.replies.first?.object("radio")?.text("scan")
    }
    func ask(_ harness: AgentHarness, _ seconds: Int) throws -> HarnessClient {
      let client = try #require(harness.connect(user: 0, groups: []))
      let call = Message.text("io.accessoryd.Gateway.ScanActively", "\"seconds\":\(seconds)", more: false)
      harness.send(call, by: client)
      return client
    }
    for (scan, wanted) in [(Gateway.Scan.auto, "active"), (.passive, "passive")] {
      let harness = AgentHarness(GatewayManifest.lights.with { $0.gateway.scan = scan }, scene: [.bulb(1)])
      harness.run(milliseconds: 500)
      #expect(try mode(harness) == "passive")
      let (short, long) = (try ask(harness, 2), try ask(harness, 60))
      harness.run(milliseconds: 500)
      #expect(try mode(harness) == wanted && short.replies.isEmpty)
      harness.run(milliseconds: 1600)
      #expect(short.replies.count == 1 && short.replies.first?.error == nil)
      #expect(try mode(harness) == wanted)
      harness.hangUp(long)
      harness.run(milliseconds: 500)
      #expect(try mode(harness) == "passive")
      for seconds in [0, 61] {
        #expect(try ask(harness, seconds).replies.first?.error == "org.varlink.service.InvalidParameter")
      }
    }
  }

  @Test("At its end the agent ends its controller's scan, and no request starts another")
  func endsScan() {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], after: 500)
    #expect(!harness.agent.hasEndedScan)
    harness.endScan()
    #expect(harness.commands.last == .leSetExtendedScanEnable(false))
    #expect(!harness.agent.hasEndedScan)
    harness.setImmediateRequests(1)
    harness.run(milliseconds: 100)
    #expect(harness.agent.hasEndedScan)
    #expect(harness.agent.radioState == .off)
    #expect(harness.commands.last == .leSetExtendedScanEnable(false))
  }

  @Test("An agent without a controller of its own has no scan to end", arguments: [true, false])
  func endsNoScan(isShared: Bool) {
    let harness = AgentHarness(.lights)
    if isShared {
      harness.kernel = StandInKernel()
      harness.radioComes(as: .sharedAdapter(index: 3))
    }
    let managed = harness.managed.count
    harness.endScan()
    #expect(harness.agent.hasEndedScan)
    // The kernel's scan is ended by other commands, once the loop is over.
    #expect(harness.commands.isEmpty && harness.managed.count == managed)
  }

  @Test("Packets that the kernel dropped because its buffer was full are counted, and status says it")
  func dropped() throws {
    let harness = AgentHarness(.lights, after: 3000)
    harness.agent.counters.reception.countDrops(3, at: harness.now)
    let client = try #require(harness.connect())
    let reply = try #require(harness.call("Status", by: client).first)
    #expect(reply.object("radio")?.integer("dropped") == 3)
    #expect(reply.parameters.objects("problems").contains { $0.text("kind") == "packetsDropped" })
  }

  @Test("Invalid packets of the radio are counted and have no other effect")
  func nonsense() {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], after: 500)
    harness.receive([])
    harness.receive([0x04])
    harness.receive([0x04, 0x3E, 0xFF, 0x02])
    harness.receive([0x77, 1, 2, 3])
    harness.run(milliseconds: 500)
    #expect(harness.agent.radioState == .on)
  }

  @Test("Deadlines of the data path are met at most one drain interval late, and never early")
  func coalesces() {
    let harness = AgentHarness(.lights, scene: (1...50).map { .blinking($0) }, after: 5000)
    let turns = harness.agent.turnCount
    harness.run(milliseconds: 10_000)
    #expect(harness.agent.turnCount - turns <= 1000)
  }
}
