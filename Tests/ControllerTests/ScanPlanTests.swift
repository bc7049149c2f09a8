// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import TestSupport
import Testing
import VirtualRadio

@Suite("Scanning as planned")
struct ScanPlanTests {
  private func scan(_ plan: ScanPlan, on script: ControllerScript = ControllerScript(), seconds: Int64) -> Rig
  {
    var rig = Rig(script)
    rig.start(plan)
    rig.run(milliseconds: seconds * 1000)
    return rig
  }

  private func responses(_ rig: Rig) -> Int { rig.reports.filter { $0.header.pdu == .scanResponse }.count }

  @Test("Passive hears no scan responses, active does", arguments: [true, false])
  func kinds(isExtended: Bool) {
    let script = isExtended ? ControllerScript() : .pi
    let passive = scan(.with(.passive, 60, 60), on: script, seconds: 5)
    let active = scan(.with(.active, 60, 60), on: script, seconds: 5)
    #expect(responses(passive) == 0 && passive.reports.count > 40)
    #expect(responses(active) > 40 && active.states.last == .scanning(isActive: true))
  }

  @Test("The share of time decides how much is heard; an immediate request takes all of it")
  func duty() {
    var plan = ScanPlan.with(.passive, 30, 300)
    let low = scan(plan, seconds: 100).reports.count
    plan.isImmediate = true
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
      let rig = scan(.with(.passive, window, interval), on: .pi, seconds: 1)
      #expect(
        rig.packets.first { $0.opcode == .leSetScanParameters }.map { Array($0.array[5..<9]) } == hex(bytes))
      #expect(rig.bringup.state == .scanning(isActive: false))
    }
  }

  @Test("Auto is passive until a descriptor needs a scan response")
  func auto() {
    var plan = ScanPlan.with(.auto, 60, 60)
    #expect(responses(scan(plan, seconds: 60)) == 0)
    plan.needsScanResponses = true
    let rig = scan(plan, seconds: 60)
    // Three windows of two seconds.
    #expect((45...62).contains(responses(rig)))
    #expect(rig.states.filter { $0 == .scanning(isActive: true) }.count == 3)
    #expect(rig.states.filter { $0 == .scanning(isActive: false) }.count == 3)
  }

  @Test("An auto window as long as its period is always active")
  func alwaysActive() {
    var plan = ScanPlan.with(.auto, 60, 60)
    plan.needsScanResponses = true
    plan.activeMilliseconds = 20_000
    let rig = scan(plan, seconds: 60)
    #expect(rig.bringup.deadline == nil && rig.bringup.state == .scanning(isActive: true))
  }

  @Test("A new plan is followed by disable, set, enable")
  func replan() {
    for (script, commands) in [
      (ControllerScript(), [0x2042, 0x2041, 0x2042]), (.pi, [0x200C, 0x200B, 0x200C]),
    ] {
      var rig = scan(.with(.passive, 60, 60), on: script, seconds: 2)
      rig.sent.removeAll()
      rig.follow(.with(.active, 60, 60))
      rig.run(milliseconds: 2000)
      #expect(rig.opcodes.map(Int.init) == commands)
      #expect(rig.states.suffix(4) == [.disabling, .configuring, .enabling, .scanning(isActive: true)])
      #expect(responses(rig) > 10)
    }
  }

  @Test("A plan that asks for the same changes nothing")
  func sameScan() {
    var plan = ScanPlan.with(.passive, 60, 60)
    var rig = scan(plan, seconds: 2)
    rig.sent.removeAll()
    rig.follow(plan)
    plan.isImmediate = true
    rig.follow(plan)
    rig.run(milliseconds: 2000)
    #expect(rig.opcodes.isEmpty)
  }

  @Test("No plan ends the scan, another begins it")
  func pause() {
    var rig = scan(.with(.passive, 60, 60), seconds: 2)
    rig.follow(nil)
    rig.run(milliseconds: 100)
    let count = rig.reports.count
    rig.run(milliseconds: 2000)
    #expect(rig.bringup.state == .ready && rig.reports.count == count)
    rig.follow(.with(.passive, 60, 60))
    rig.run(milliseconds: 2000)
    #expect(rig.bringup.state == .scanning(isActive: false) && rig.reports.count > count)
  }

  @Test("Plans that change at any moment of a bring-up end in the last one")
  func changesAtAnyMoment() {
    for milliseconds: Int64 in 0..<30 {
      var rig = Rig()
      rig.start(.with(.passive, 30, 60))
      rig.run(milliseconds: milliseconds)
      rig.follow(nil)
      rig.follow(.with(.active, 60, 60))
      rig.run(milliseconds: 1)
      rig.follow(.with(.active, 40, 80))
      rig.run(milliseconds: 1000)
      #expect(rig.bringup.state == .scanning(isActive: true))
      let last = rig.packets.last { $0.opcode == .leSetExtendedScanParameters }
      #expect(last.map { Array($0.array[7...]) } == hex("01 8000 4000"), "\(milliseconds)")
    }
  }

  @Test("The coded PHY gets half of the window where the controller has it")
  func coded() {
    var plan = ScanPlan.with(.passive, 60, 60)
    plan.usesCodedPHY = true
    let rig = scan(plan, seconds: 20)
    let parameters = rig.packets.first { $0.opcode == .leSetExtendedScanParameters }
    #expect(parameters.map { Array($0.array[4...]) } == hex("00 00 05 00 6000 3000 00 6000 3000"))
    #expect((80...115).contains(rig.reports.count))
    var script = ControllerScript()
    script.hasCodedPHY = false
    #expect(scan(plan, on: script, seconds: 2).bringup.state == .scanning(isActive: false))
    #expect(scan(plan, on: .pi, seconds: 2).bringup.state == .scanning(isActive: false))
  }

  @Test("A controller known to fail at extended scanning scans by the legacy commands, whatever it says")
  func knownLimit() {
    var plan = ScanPlan.with(.passive, 60, 60)
    (plan.usesCodedPHY, plan.usesExtendedScanning) = (true, false)
    let rig = scan(plan, seconds: 2)
    #expect(rig.bringup.state == .scanning(isActive: false))
    #expect(!rig.bringup.scansExtended)
    #expect(rig.bringup.profile.scansExtended)
    #expect(rig.packets.contains { $0.opcode == .leSetScanParameters })
    #expect(!rig.packets.contains { $0.opcode == .leSetExtendedScanParameters })
  }

  @Test("Each command of a change can fail like those of the bring-up")
  func failingChange() {
    for opcode in [Opcode.leSetExtendedScanEnable, .leSetExtendedScanParameters] {
      for (effect, error) in [
        (ControllerFault.Effect.lost, ControllerInitializerError.timeout(opcode)),
        (.refused(.commandDisallowed), .refused(opcode, .commandDisallowed)),
        (.hardwareError(3), .hardwareError(3)),
      ] {
        var script = ControllerScript()
        script.faults = [ControllerFault(.command(opcode), effect, skips: 1)]
        var rig = Rig(script)
        rig.start(.with(.passive, 60, 60))
        rig.run(milliseconds: 1000)
        rig.follow(.with(.active, 60, 60))
        rig.run(milliseconds: 3000)
        #expect(rig.bringup.state == .failed(error))
      }
    }
  }
}
