// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import Manifest
import TestSupport
import VirtualRadio

/// An initializer and a virtual controller in virtual time.
struct InitializerHarness {
  var initializer = ControllerInitializer()
  var controller: VirtualController
  var now = Instant(microseconds: 0)
  /// The opcodes that were sent, and when.
  var sent: [(opcode: Opcode, time: Instant)] = []
  var packets: [CommandPacket] = []
  var states: [ControllerInitializer.State] = []
  var reports: [ReadReport] = []

  init(_ script: ControllerScript = ControllerScript(), _ devices: [SceneDevice] = [.bulb], seed: UInt64 = 11)
  {
    controller = VirtualController(script, scene: devices, seed: seed)
  }

  mutating func start(_ plan: ScanPlan? = ScanPlan(), wait milliseconds: Int64? = nil) {
    let output = initializer.start(plan, now: now)
    apply(output)
    if let milliseconds { run(milliseconds: milliseconds) }
  }

  mutating func follow(_ plan: ScanPlan?) {
    let output = initializer.follow(plan, now: now)
    apply(output)
  }

  /// Runs the controller and the initializer for a time.
  mutating func run(milliseconds: Int64) {
    let end = now.advanced(milliseconds: milliseconds)
    while let due = [controller.nextTime, initializer.deadline].compactMap({ $0 }).min(), due < end {
      now = max(now, Instant(microseconds: due.microseconds + 1))
      while let packet = controller.next(before: now) { receive(packet) }
      let output = initializer.timeout(now: now)
      apply(output)
    }
    now = end
  }

  var opcodes: [UInt16] { sent.map(\.opcode.rawValue) }

  /// A text to compare between two runs.
  var log: String { "\(sent) \(states) \(reports.count) \(reports.map(\.header.rssi))" }

  private mutating func receive(_ packet: ScenePacket) {
    let reading = EventReading(packet.bytes)
    reports += reading.reports
    guard let event = try? Event(parsing: Array(packet.bytes.dropFirst()).rawSpan) else { return }
    let output = initializer.received(event, now: now)
    apply(output)
  }

  private mutating func apply(_ output: ControllerInitializer.Output) {
    if let state = output.state { states.append(state) }
    guard let command = output.command else { return }
    sent.append((command.opcode, now))
    packets.append(command)
    controller.receive(command.array, at: now)
  }
}

extension CommandPacket {
  var array: [UInt8] { bytes.indices.map { bytes[$0] } }
}

extension SceneDevice {
  static let bulb = SceneDevice(
    .staticRandom(1),
    payloads: PayloadScript(AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [1])),
    scanResponse: AdvertisingPayload().name("Lumo"), intervalMilliseconds: 100,
    signal: SignalModel(.steady(-60)))
}

extension ScanPlan {
  static func with(_ mode: ScanPlan.Mode, _ window: UInt16, _ interval: UInt16) -> Self {
    var plan = ScanPlan()
    plan.mode = mode
    plan.duty = ScanDuty(windowMilliseconds: window, intervalMilliseconds: interval)
    return plan
  }
}
