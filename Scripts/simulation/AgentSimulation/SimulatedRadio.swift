// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// The virtual controller behind the interface of the agent's loop: opened after a while, pulled out, put back.
struct SimulatedRadio {
  private var controller: VirtualController
  /// Whether packets are read every 20 ms, or as they come.
  private let isBatched: Bool
  /// When the requested opening succeeds; nil when none is requested or the radio is open.
  private var opening: Int64?
  private(set) var isOpen = false
  private(set) var packetCount = 0
  private var sent: [Opcode: Int64] = [:]

  /// What the loop has to report to the agent.
  enum Plugging: Equatable { case appeared, vanished }

  init(_ controller: VirtualController, isBatched: Bool) {
    self.controller = controller
    self.isBatched = isBatched
  }

  var nextTime: Int64? {
    let packet = isOpen ? controller.nextTime.map { tick($0.microseconds + 1) } : nil
    // The loop looks for a vanished radio every 100 ms.
    let plug = opening.map { controller.isPlugged ? $0 : max($0, tick100(controller.nextTime)) }
    return [packet, plug].compactMap { $0 }.min()
  }

  private func tick(_ time: Int64) -> Int64 { isBatched ? (time + 19_999) / 20_000 * 20_000 : time }

  private func tick100(_ time: Instant?) -> Int64 {
    ((time?.microseconds ?? .max / 2) / 100_000 + 1) * 100_000
  }

  mutating func open(at time: Int64) {
    isOpen = false
    opening = time
  }

  mutating func send(_ bytes: [UInt8], at now: Int64) {
    guard isOpen else { return }
    sent[Opcode(rawValue: UInt16(bytes[1]) | UInt16(bytes[2]) << 8)] = now
    controller.receive(bytes, at: Instant(microseconds: now))
  }

  /// Whether the command was sent at least two seconds ago.
  func hasWaited(for opcode: Opcode, at now: Int64) -> Bool {
    sent[opcode].map { now - $0 >= 2_000_000 } ?? false
  }

  /// The next packet that has arrived.
  mutating func next(at now: Int64) -> [UInt8]? {
    while let packet = controller.next(before: Instant(microseconds: now)) {
      guard isOpen else { continue }
      packetCount += 1
      return packet.bytes
    }
    return nil
  }

  /// Whether the radio appeared or vanished since the last call.
  mutating func plugging(at now: Int64) -> Plugging? {
    if isOpen, !controller.isPlugged {
      isOpen = false
      opening = now
      return .vanished
    }
    guard let time = opening, time <= now, controller.isPlugged else { return nil }
    opening = nil
    isOpen = true
    return .appeared
  }

  /// Pulls the radio out for good.
  mutating func remove() {
    isOpen = false
    opening = nil
  }
}
