// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import VirtualRadio

/// A virtual controller with a scenario's additions: a load or a replay beside the scene, and a fault between
/// controller and host.
///
/// Input: packets from the host, and the time. Output: packets to the host, which it counts. Times must not run
/// backwards.
public struct Station: Sendable {
  public private(set) var controller: VirtualController
  public private(set) var counters = StationCounters()
  public var fault: StationFault?
  public var load: ReportLoad?
  public var replay: CaptureReports?
  /// Answers of a fault, and packets that a scenario sends.
  private var extra: [[UInt8]] = []

  public init(_ controller: consuming VirtualController) { self.controller = controller }

  /// Receives one packet from the host.
  public mutating func receive(_ packet: [UInt8], at now: Instant) {
    guard let command = HostCommand(packet) else { return controller.receive(packet, at: now) }
    count(command)
    switch fault?.verdict(on: command) {
    case .cured:
      fault = nil
      controller.receive(packet, at: now)
    case .delivered, nil: controller.receive(packet, at: now)
    case .swallowed: break
    case .answered(let answer): extra.append(answer)
    }
  }

  private mutating func count(_ command: HostCommand) {
    counters.commands += 1
    if command.isReset { counters.resets += 1 }
    if command.isScanEnable { counters.scanEnables += 1 }
    if command.isScanDisable { counters.scanDisables += 1 }
  }

  /// Sends a packet to the host, even during a fault.
  public mutating func emit(_ packet: [UInt8]) { extra.append(packet) }

  /// The next packet for the host that is due before `now`; nil when there is none.
  public mutating func next(before now: Instant) -> [UInt8]? {
    if !extra.isEmpty { return counted(extra.removeFirst()) }
    while let packet = controller.next(before: now)?.bytes {
      if fault?.passes(packet) ?? true { return counted(packet) }
    }
    while let packet = load?.next(at: now) {
      if reachesHost(packet) { return counted(packet) }
      counters.withheld += 1
    }
    while let packet = replay?.next(at: now) {
      if reachesHost(packet) { return counted(packet) }
      counters.withheld += 1
    }
    return nil
  }

  private func reachesHost(_ packet: [UInt8]) -> Bool {
    controller.isScanning && fault?.passes(packet) ?? true
  }

  private mutating func counted(_ packet: [UInt8]) -> [UInt8] {
    counters.count(packet)
    return packet
  }

  /// The earliest time at which there may be a packet to send.
  public var nextTime: Instant? {
    guard extra.isEmpty else { return Instant(microseconds: 0) }
    // The controller returns a packet only after its time.
    let scene = controller.nextTime.map { Instant(microseconds: $0.microseconds + 1) }
    return [scene, load?.nextTime, replay?.nextTime].compactMap { $0 }.min()
  }

  /// Plugs the controller in again, which loses the host's settings.
  public mutating func plugIn(at now: Instant) {
    while controller.next(before: now) != nil {}
    controller.powerCycle(at: now)
    extra.removeAll()
  }
}
