// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import TestSupport
import Testing
import VirtualRadio

/// Every command of both initialisations, with every fault.
@Suite("The initialisation of a controller that fails")
struct ControllerInitializerFaultTests {
  struct Case: Sendable, CustomStringConvertible {
    let opcode: UInt16
    let isExtended: Bool
    var description: String { "\(isExtended ? "extended" : "legacy") 0x\(String(opcode, radix: 16))" }
  }

  static let cases =
    (ControllerInitializerTests.preparation + [0x2005, 0x2041, 0x2042]).map {
      Case(opcode: $0, isExtended: true)
    }
    + (ControllerInitializerTests.preparation + [0x2005, 0x200B, 0x200C]).map {
      Case(opcode: $0, isExtended: false)
    }

  private func harness(
    _ example: Case, _ effect: ControllerFault.Effect, _ stage: ControllerFault.Stage = .before,
    times: Int? = nil
  ) -> InitializerHarness {
    var script = example.isExtended ? ControllerScript() : .pi
    // Only a controller without an address is given one.
    if example.opcode == 0x2005 { script.address = 0 }
    let trigger = ControllerFault.Trigger.command(Opcode(rawValue: example.opcode))
    script.faults = [ControllerFault(trigger, effect, stage: stage, times: times)]
    var harness = InitializerHarness(script)
    harness.start()
    return harness
  }

  @Test("An answer within two seconds is good, a later one too late", arguments: cases)
  func late(example: Case) {
    var good = harness(example, .late(milliseconds: 1900))
    good.run(milliseconds: 4000)
    #expect(good.states.last == .scanning(isActive: false))
    var bad = harness(example, .late(milliseconds: 2100))
    bad.run(milliseconds: 6000)
    #expect(bad.states.last == .failed(.timeout(Opcode(rawValue: example.opcode))))
    #expect(bad.opcodes.last == example.opcode && bad.initializer.deadline == nil)
  }

  @Test("A lost command or answer is a timeout after two seconds", arguments: cases)
  func lost(example: Case) throws {
    for stage in ControllerFault.Stage.allCases {
      var harness = harness(example, .lost, stage)
      let sent = { (harness: InitializerHarness) in try #require(harness.sent.last).time }
      harness.run(milliseconds: 2000)
      #expect(harness.initializer.deadline == (try sent(harness)).advanced(milliseconds: 2000))
      harness.run(milliseconds: 200)
      #expect(harness.states.last == .failed(.timeout(Opcode(rawValue: example.opcode))))
    }
  }

  private static let extendedScan: [UInt16] = [0x2041, 0x2042]

  @Test(
    "A refusal is an error with its status", arguments: cases.filter { !extendedScan.contains($0.opcode) })
  func refused(example: Case) {
    for stage in ControllerFault.Stage.allCases {
      for status in [ErrorCode.unknownCommand, .hardwareFailure, .commandDisallowed] {
        var harness = harness(example, .refused(status), stage)
        harness.run(milliseconds: 500)
        #expect(harness.states.last == .failed(.refused(Opcode(rawValue: example.opcode), status)))
      }
    }
  }

  @Test(
    "Extended scanning that is offered and refused twice gives way to legacy scanning",
    arguments: extendedScan)
  func extendedRefused(opcode: UInt16) {
    for stage in ControllerFault.Stage.allCases {
      var harness = harness(Case(opcode: opcode, isExtended: true), .refused(.unknownCommand), stage)
      harness.run(milliseconds: 5000)
      let attempt = ControllerInitializerTests.preparation + Self.extendedScan.filter { $0 <= opcode }
      let legacy = ControllerInitializerTests.preparation + [0x200B, 0x200C]
      #expect(harness.opcodes == attempt + attempt + legacy)
      #expect(harness.states.last == .scanning(isActive: false) && !harness.reports.isEmpty)
      let initializer = harness.initializer
      #expect(initializer.profile.scansExtended && !initializer.scansExtended)
      #expect(initializer.extendedRefusal == .refused(Opcode(rawValue: opcode), .unknownCommand))
      // A reset tries again.
      harness.start()
      #expect(harness.initializer.extendedRefusal == nil)
      harness.run(milliseconds: 1000)
      #expect(harness.opcodes == attempt + attempt + legacy + attempt + attempt + legacy)
    }
  }

  @Test("One refusal of extended scanning is tried again, and costs nothing", arguments: extendedScan)
  func extendedRefusedOnce(opcode: UInt16) {
    var harness = harness(Case(opcode: opcode, isExtended: true), .refused(.commandDisallowed), times: 1)
    harness.run(milliseconds: 1000)
    #expect(harness.opcodes.suffix(2) == Self.extendedScan && harness.initializer.scansExtended)
    #expect(harness.states.last == .scanning(isActive: false) && harness.initializer.extendedRefusal == nil)
  }

  @Test("A controller that refuses both ways to scan fails with the last refusal, again and again")
  func bothRefused() {
    var script = ControllerScript()
    script.faults = [0x2042, 0x200C].map { opcode in
      ControllerFault(.command(Opcode(rawValue: opcode)), .refused(.hardwareFailure))
    }
    var harness = InitializerHarness(script)
    for _ in 0..<2 {
      harness.start(wait: 1000)
      #expect(harness.states.last == .failed(.refused(.leSetScanEnable, .hardwareFailure)))
    }
  }

  @Test("Extended scanning that has worked is not given up for a refusal")
  func extendedRefusedLater() {
    var script = ControllerScript()
    script.faults = [
      ControllerFault(.command(.leSetExtendedScanEnable), .refused(.commandDisallowed), skips: 2)
    ]
    var harness = InitializerHarness(script)
    harness.start(.with(.passive, 60, 60), wait: 1000)
    harness.follow(.with(.active, 60, 60))
    harness.run(milliseconds: 1000)
    #expect(harness.states.last == .failed(.refused(.leSetExtendedScanEnable, .commandDisallowed)))
  }

  @Test("A hardware error ends it at once", arguments: cases)
  func hardwareError(example: Case) {
    for stage in ControllerFault.Stage.allCases {
      var harness = harness(example, .hardwareError(0x42), stage)
      harness.run(milliseconds: 500)
      #expect(harness.states.last == .failed(.hardwareError(0x42)))
    }
  }

  @Test("Silence and unplugging are timeouts", arguments: cases)
  func silence(example: Case) {
    for effect in [ControllerFault.Effect.silence(milliseconds: nil), .unplug(milliseconds: nil)] {
      var harness = harness(example, effect)
      harness.run(milliseconds: 3000)
      #expect(harness.states.last == .failed(.timeout(Opcode(rawValue: example.opcode))))
    }
  }

  @Test("Garbage between the answers harms nothing", arguments: cases)
  func garbage(example: Case) {
    for bytes in [hex("04 0E 00"), hex("04 0E 03 01 030C"), hex("04 FF 01 00"), hex("99 01"), []] {
      for stage in ControllerFault.Stage.allCases {
        var harness = harness(example, .garbage(bytes), stage)
        harness.run(milliseconds: 1000)
        #expect(harness.initializer.state == .scanning(isActive: false) || example.opcode == 0x0C03)
      }
    }
  }

  @Test("Begun again after a fault that passes, it scans", arguments: cases)
  func recovery(example: Case) {
    let isRetried = Self.extendedScan.contains(example.opcode)
    let effects =
      [ControllerFault.Effect.lost, .hardwareError(1)] + (isRetried ? [] : [.refused(.hardwareFailure)])
    for effect in effects {
      var harness = harness(example, effect, times: 1)
      harness.run(milliseconds: 3000)
      guard case .failed = harness.initializer.state else {
        Issue.record("\(effect) went by")
        continue
      }
      harness.start(wait: 1000)
      #expect(harness.initializer.state == .scanning(isActive: false))
      harness.run(milliseconds: 3000)
      #expect(harness.reports.count > 1)
    }
  }

  /// Disable, set, enable of a plan that changes: how many commands with the opcode pass before the harmed one.
  static let changes: [(opcode: UInt16, skips: Int)] = [(0x2042, 1), (0x2041, 1), (0x2042, 2)]

  @Test("A plan that changes fails at each of its commands like an initialisation", arguments: changes)
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
      var harness = InitializerHarness(script)
      harness.start(.with(.passive, 60, 60), wait: 1000)
      #expect(harness.initializer.state == .scanning(isActive: false))
      harness.follow(.with(.active, 60, 60))
      harness.run(milliseconds: 5000)
      #expect(harness.states.last == .failed(error) && harness.initializer.deadline == nil)
    }
  }

  @Test("A hardware error while it scans is one as well")
  func hardwareErrorLater() {
    var script = ControllerScript()
    script.faults = [ControllerFault(.time(Instant(microseconds: 5_000_000)), .hardwareError(7))]
    var harness = InitializerHarness(script)
    harness.start(wait: 6000)
    #expect(harness.states.last == .failed(.hardwareError(7)))
  }

  @Test("The same seed gives the same run", arguments: [1, 2, 3] as [UInt64])
  func determinism(seed: UInt64) {
    let logs = (0..<2).map { _ in
      var harness = InitializerHarness(ControllerScript(), [.bulb, .bulb], seed: seed)
      harness.start(.with(.active, 60, 60), wait: 10_000)
      return harness.log
    }
    #expect(logs[0] == logs[1])
  }
}
