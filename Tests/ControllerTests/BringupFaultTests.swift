// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import TestSupport
import Testing
import VirtualRadio

/// Every command of both bring-ups, harmed in every way.
@Suite("A bring-up on a controller that fails")
struct BringupFaultTests {
  struct Case: Sendable, CustomStringConvertible {
    let opcode: UInt16
    let isExtended: Bool
    var description: String { "\(isExtended ? "extended" : "legacy") 0x\(String(opcode, radix: 16))" }
  }

  static let cases =
    (BringupTests.preparation + [0x2005, 0x2041, 0x2042]).map { Case(opcode: $0, isExtended: true) }
    + (BringupTests.preparation + [0x2005, 0x200B, 0x200C]).map { Case(opcode: $0, isExtended: false) }

  private func rig(
    _ example: Case, _ effect: ControllerFault.Effect, _ stage: ControllerFault.Stage = .before,
    times: Int? = nil
  ) -> Rig {
    var script = example.isExtended ? ControllerScript() : .pi
    // Only a controller without an address is given one.
    if example.opcode == 0x2005 { script.address = 0 }
    let trigger = ControllerFault.Trigger.command(Opcode(rawValue: example.opcode))
    script.faults = [ControllerFault(trigger, effect, stage: stage, times: times)]
    var rig = Rig(script)
    rig.start()
    return rig
  }

  @Test("An answer within two seconds is good, a later one too late", arguments: cases)
  func late(example: Case) {
    var good = rig(example, .late(milliseconds: 1900))
    good.run(milliseconds: 4000)
    #expect(good.states.last == .scanning(isActive: false))
    var bad = rig(example, .late(milliseconds: 2100))
    bad.run(milliseconds: 6000)
    #expect(bad.states.last == .failed(.timeout(Opcode(rawValue: example.opcode))))
    #expect(bad.opcodes.last == example.opcode && bad.bringup.deadline == nil)
  }

  @Test("A lost command or answer is a timeout after two seconds", arguments: cases)
  func lost(example: Case) throws {
    for stage in ControllerFault.Stage.allCases {
      var rig = rig(example, .lost, stage)
      let sent = { (rig: Rig) in try #require(rig.sent.last).time }
      rig.run(milliseconds: 2000)
      #expect(rig.bringup.deadline == (try sent(rig)).advanced(milliseconds: 2000))
      rig.run(milliseconds: 200)
      #expect(rig.states.last == .failed(.timeout(Opcode(rawValue: example.opcode))))
    }
  }

  @Test("A refusal is an error with its status", arguments: cases)
  func refused(example: Case) {
    for stage in ControllerFault.Stage.allCases {
      for status in [ErrorCode.unknownCommand, .hardwareFailure, .commandDisallowed] {
        var rig = rig(example, .refused(status), stage)
        rig.run(milliseconds: 500)
        #expect(rig.states.last == .failed(.refused(Opcode(rawValue: example.opcode), status)))
      }
    }
  }

  @Test("A hardware error ends it at once", arguments: cases)
  func hardwareError(example: Case) {
    for stage in ControllerFault.Stage.allCases {
      var rig = rig(example, .hardwareError(0x42), stage)
      rig.run(milliseconds: 500)
      #expect(rig.states.last == .failed(.hardwareError(0x42)))
    }
  }

  @Test("Silence and unplugging are timeouts", arguments: cases)
  func silence(example: Case) {
    for effect in [ControllerFault.Effect.silence(milliseconds: nil), .unplug(milliseconds: nil)] {
      var rig = rig(example, effect)
      rig.run(milliseconds: 3000)
      #expect(rig.states.last == .failed(.timeout(Opcode(rawValue: example.opcode))))
    }
  }

  @Test("Garbage between the answers harms nothing", arguments: cases)
  func garbage(example: Case) {
    for bytes in [hex("04 0E 00"), hex("04 0E 03 01 030C"), hex("04 FF 01 00"), hex("99 01"), []] {
      for stage in ControllerFault.Stage.allCases {
        var rig = rig(example, .garbage(bytes), stage)
        rig.run(milliseconds: 1000)
        #expect(rig.bringup.state == .scanning(isActive: false) || example.opcode == 0x0C03)
      }
    }
  }

  @Test("Begun again after a fault that passes, it scans", arguments: cases)
  func recovery(example: Case) {
    for effect in [ControllerFault.Effect.lost, .refused(.hardwareFailure), .hardwareError(1)] {
      var rig = rig(example, effect, times: 1)
      rig.run(milliseconds: 3000)
      guard case .failed = rig.bringup.state else {
        Issue.record("\(effect) went by")
        continue
      }
      rig.start()
      rig.run(milliseconds: 1000)
      #expect(rig.bringup.state == .scanning(isActive: false))
      rig.run(milliseconds: 3000)
      #expect(rig.reports.count > 1)
    }
  }

  /// Disable, set, enable of a plan that changes: how many commands with the opcode pass before the harmed one.
  static let changes: [(opcode: UInt16, skips: Int)] = [(0x2042, 1), (0x2041, 1), (0x2042, 2)]

  @Test("A plan that changes fails at each of its commands as a bring-up does", arguments: changes)
  func change(opcode: UInt16, skips: Int) {
    let opcode = Opcode(rawValue: opcode)
    let cases: [(ControllerFault.Effect, ControllerInitializerError)] = [
      (.late(milliseconds: 2100), .timeout(opcode)), (.lost, .timeout(opcode)),
      (.refused(.commandDisallowed), .refused(opcode, .commandDisallowed)),
      (.hardwareError(3), .hardwareError(3)), (.silence(milliseconds: nil), .timeout(opcode)),
      (.unplug(milliseconds: nil), .timeout(opcode)),
    ]
    for (effect, error) in cases {
      var script = ControllerScript()
      script.faults = [ControllerFault(.command(opcode), effect, skips: skips)]
      var rig = Rig(script)
      rig.start(.with(.passive, 60, 60))
      rig.run(milliseconds: 1000)
      #expect(rig.bringup.state == .scanning(isActive: false))
      rig.follow(.with(.active, 60, 60))
      rig.run(milliseconds: 5000)
      #expect(rig.states.last == .failed(error) && rig.bringup.deadline == nil)
    }
  }

  @Test("A hardware error while it scans is one as well")
  func hardwareErrorLater() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.time(Instant(microseconds: 5_000_000)), .hardwareError(7))]
    var rig = Rig(script)
    rig.start()
    rig.run(milliseconds: 6000)
    #expect(rig.states.last == .failed(.hardwareError(7)))
  }

  @Test("The same seed gives the same run", arguments: [1, 2, 3] as [UInt64])
  func determinism(seed: UInt64) {
    let logs = (0..<2).map { _ in
      var rig = Rig(ControllerScript(), [.bulb, .bulb], seed: seed)
      rig.start(.with(.active, 60, 60))
      rig.run(milliseconds: 10_000)
      return rig.log
    }
    #expect(logs[0] == logs[1])
  }
}
