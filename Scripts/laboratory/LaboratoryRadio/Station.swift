// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import VirtualRadio

/// A virtual controller with what a scenario adds to it: a load or a replay beside the scene, and a fault in between.
///
/// Packets of the host and the time go in; packets for the host come out, counted. Times must not run backwards.
public struct Station: Sendable {
  public private(set) var controller: VirtualController
  public private(set) var written = Written()
  public var fault: StationFault?
  public var load: ReportLoad?
  public var replay: CaptureReports?
  /// What a fault answers by itself, and what a scenario wants said.
  private var own: [[UInt8]] = []

  public init(_ controller: consuming VirtualController) { self.controller = controller }

  /// Takes one packet from the host.
  public mutating func receive(_ packet: [UInt8], at now: Instant) {
    guard let command = HostCommand(packet) else { return controller.receive(packet, at: now) }
    count(command)
    switch fault?.verdict(on: command) {
    case .cured:
      fault = nil
      controller.receive(packet, at: now)
    case .delivered, nil: controller.receive(packet, at: now)
    case .swallowed: break
    case .answered(let answer): own.append(answer)
    }
  }

  private mutating func count(_ command: HostCommand) {
    written.commands += 1
    if command.isReset { written.resets += 1 }
    if command.isScanEnable { written.scanEnables += 1 }
    if command.isScanDisable { written.scanDisables += 1 }
  }

  /// Sends a packet whatever is wrong.
  public mutating func emit(_ packet: [UInt8]) { own.append(packet) }

  /// The next packet for the host that is due before `now`; nil when there is none.
  public mutating func next(before now: Instant) -> [UInt8]? {
    if !own.isEmpty { return counted(own.removeFirst()) }
    while let packet = controller.next(before: now)?.bytes {
      if fault?.lets(packet) ?? true { return counted(packet) }
    }
    while let packet = load?.next(at: now) {
      if reaches(packet) { return counted(packet) }
      written.withheld += 1
    }
    while let packet = replay?.next(at: now) {
      if reaches(packet) { return counted(packet) }
      written.withheld += 1
    }
    return nil
  }

  private func reaches(_ packet: [UInt8]) -> Bool {
    controller.isScanning && fault?.lets(packet) ?? true
  }

  private mutating func counted(_ packet: [UInt8]) -> [UInt8] {
    written.count(packet)
    return packet
  }

  /// When there may be something to send.
  public var nextTime: Instant? {
    guard own.isEmpty else { return Instant(microseconds: 0) }
    // What happens at a time is out behind it.
    let heard = controller.nextTime.map { Instant(microseconds: $0.microseconds + 1) }
    return [heard, load?.nextTime, replay?.nextTime].compactMap { $0 }.min()
  }

  /// It is plugged in again: what was said to it is forgotten.
  public mutating func plugIn(at now: Instant) {
    while controller.next(before: now) != nil {}
    controller.powerCycle(at: now)
    own.removeAll()
  }
}
