// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import TestSupport
import Testing
import VirtualRadio

@Suite("Scanning as planned")
struct ScanPlanTests {
  private func scan(_ plan: ScanPlan, on script: ControllerScript = ControllerScript(), seconds: Int64)
    -> InitializerHarness
  {
    var harness = InitializerHarness(script)
    harness.start(plan, wait: seconds * 1000)
    return harness
  }

  private func responses(_ harness: InitializerHarness) -> Int {
    harness.reports.filter { $0.header.pdu == .scanResponse }.count
  }

  @Test("Passive hears no scan responses, active does", arguments: [true, false])
  func kinds(isExtended: Bool) {
    let script = isExtended ? ControllerScript() : .pi
    let passive = scan(.with(.passive, 60, 60), on: script, seconds: 5)
    let active = scan(.with(.active, 60, 60), on: script, seconds: 5)
    #expect(responses(passive) == 0 && passive.reports.count > 40)
    #expect(responses(active) > 40 && active.states.last == .scanning(isActive: true))
  }

  @Test("The share of time decides how much is heard")
  func duty() {
    var plan = ScanPlan.with(.passive, 30, 300)
    let low = scan(plan, seconds: 100).reports.count
    plan.duty.windowMilliseconds = 300
    let full = scan(plan, seconds: 100).reports.count
    #expect((60...140).contains(low) && (900...1000).contains(full))
  }

  @Test("Windows come in units of 625 µs, within what controllers accept")
  func units() {
    let cases: [(UInt16, UInt16, String)] = [
      (30, 300, "E001 3000"), (60, 60, "6000 6000"), (3, 3, "0400 0400"), (10_240, 10_240, "0040 0040"),
      (60_000, 60_000, "0040 0040"), (0, 0, "0400 0400"), (300, 30, "3000 3000"),
    ]
    for (window, interval, bytes) in cases {
      let harness = scan(.with(.passive, window, interval), on: .pi, seconds: 1)
      #expect(
        harness.packets.first { $0.opcode == .leSetScanParameters }.map { Array($0.array[5..<9]) }
          == hex(bytes))
      #expect(harness.initializer.state == .scanning(isActive: false))
    }
  }

  @Test("Auto is passive until a descriptor needs a scan response")
  func auto() {
    var plan = ScanPlan.with(.auto, 60, 60)
    #expect(responses(scan(plan, seconds: 60)) == 0)
    plan.needsScanResponses = true
    let harness = scan(plan, seconds: 60)
    // Three windows of two seconds.
    #expect((45...62).contains(responses(harness)))
    #expect(harness.states.filter { $0 == .scanning(isActive: true) }.count == 3)
    #expect(harness.states.filter { $0 == .scanning(isActive: false) }.count == 3)
  }

  @Test("An auto window as long as its period is always active")
  func alwaysActive() {
    var plan = ScanPlan.with(.auto, 60, 60)
    plan.needsScanResponses = true
    plan.activeMilliseconds = 20_000
    let harness = scan(plan, seconds: 60)
    #expect(harness.initializer.deadline == nil && harness.initializer.state == .scanning(isActive: true))
  }

  @Test("A new plan is followed by disable, set, enable")
  func replan() {
    for (script, commands) in [
      (ControllerScript(), [0x2042, 0x2041, 0x2042]), (.pi, [0x200C, 0x200B, 0x200C]),
    ] {
      var harness = scan(.with(.passive, 60, 60), on: script, seconds: 2)
      harness.sent.removeAll()
      harness.follow(.with(.active, 60, 60))
      harness.run(milliseconds: 2000)
      #expect(harness.opcodes.map(Int.init) == commands)
      #expect(harness.states.suffix(4) == [.disabling, .configuring, .enabling, .scanning(isActive: true)])
      #expect(responses(harness) > 10)
    }
  }

  @Test("A plan that asks for the same changes nothing")
  func sameScan() {
    var plan = ScanPlan.with(.passive, 60, 60)
    var harness = scan(plan, seconds: 2)
    harness.sent.removeAll()
    harness.follow(plan)
    // A passive scan does not ask for them.
    plan.needsScanResponses = true
    harness.follow(plan)
    harness.run(milliseconds: 2000)
    #expect(harness.opcodes.isEmpty)
  }

  @Test("No plan ends the scan, another begins it")
  func pause() {
    var harness = scan(.with(.passive, 60, 60), seconds: 2)
    harness.follow(nil)
    harness.run(milliseconds: 100)
    let count = harness.reports.count
    harness.run(milliseconds: 2000)
    #expect(harness.initializer.state == .ready && harness.reports.count == count)
    harness.follow(.with(.passive, 60, 60))
    harness.run(milliseconds: 2000)
    #expect(harness.initializer.state == .scanning(isActive: false) && harness.reports.count > count)
  }

  @Test("Plans that change at any moment of the initialisation end in the last one")
  func changesAtAnyMoment() {
    for milliseconds: Int64 in 0..<30 {
      var harness = InitializerHarness()
      harness.start(.with(.passive, 30, 60), wait: milliseconds)
      harness.follow(nil)
      harness.follow(.with(.active, 60, 60))
      harness.run(milliseconds: 1)
      harness.follow(.with(.active, 40, 80))
      harness.run(milliseconds: 1000)
      #expect(harness.initializer.state == .scanning(isActive: true))
      let last = harness.packets.last { $0.opcode == .leSetExtendedScanParameters }
      #expect(last.map { Array($0.array[7...]) } == hex("01 8000 4000"), "\(milliseconds)")
    }
  }

  @Test("The coded PHY gets half of the window where the controller has it")
  func coded() {
    var plan = ScanPlan.with(.passive, 60, 60)
    plan.usesCodedPHY = true
    let harness = scan(plan, seconds: 20)
    let parameters = harness.packets.first { $0.opcode == .leSetExtendedScanParameters }
    #expect(parameters.map { Array($0.array[4...]) } == hex("00 00 05 00 6000 3000 00 6000 3000"))
    #expect((80...115).contains(harness.reports.count))
    var script = ControllerScript()
    script.hasCodedPHY = false
    #expect(scan(plan, on: script, seconds: 2).initializer.state == .scanning(isActive: false))
    #expect(scan(plan, on: .pi, seconds: 2).initializer.state == .scanning(isActive: false))
  }

  @Test("A controller known to fail at extended scanning scans by the legacy commands, whatever it says")
  func knownLimit() {
    var plan = ScanPlan.with(.passive, 60, 60)
    (plan.usesCodedPHY, plan.usesExtendedScanning) = (true, false)
    let harness = scan(plan, seconds: 2)
    #expect(harness.initializer.state == .scanning(isActive: false))
    #expect(!harness.initializer.scansExtended)
    #expect(harness.initializer.profile.scansExtended)
    #expect(harness.packets.contains { $0.opcode == .leSetScanParameters })
    #expect(!harness.packets.contains { $0.opcode == .leSetExtendedScanParameters })
  }

  @Test("Each command of a change can fail like those of the initialisation")
  func failingChange() {
    for opcode in [Opcode.leSetExtendedScanEnable, .leSetExtendedScanParameters] {
      for (effect, error) in [
        (ControllerFault.Effect.lost, ControllerInitializerError.timeout(opcode)),
        (.refused(.commandDisallowed), .refused(opcode, .commandDisallowed)),
        (.hardwareError(3), .hardwareError(3)),
      ] {
        var script = ControllerScript()
        script.faults = [ControllerFault(.command(opcode), effect, skips: 1)]
        var harness = InitializerHarness(script)
        harness.start(.with(.passive, 60, 60), wait: 1000)
        harness.follow(.with(.active, 60, 60))
        harness.run(milliseconds: 3000)
        #expect(harness.initializer.state == .failed(error))
      }
    }
  }
}
