// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// The capture of the demonstration: what a host and its controller say to each other in ``DemoRoom``.
public enum DemoCapture {
  /// 2026-03-02 08:00:00 UTC in microseconds since 1970.
  static var start: Instant { Instant(microseconds: 1_772_438_400_000_000) }
  static var hostAddress: UInt64 { 0xDCA6_3200_0001 }

  /// The whole btsnoop file.
  public static func bytes() -> [UInt8] {
    var scanner = ScanSettings()
    scanner.schedule.windowMicroseconds = 0
    var room = Room(DemoRoom.devices, scanner: scanner, seed: DemoRoom.seed)
    var capture = CaptureWriter(start: start)
    for step in HostScript.steps {
      while let packet = room.next(before: step.time) {
        capture.append(packet.bytes, isReceived: true, at: packet.time)
      }
      switch step.act {
      case .sends(let packet): capture.append(packet, isReceived: false, at: step.time)
      case .receives(let packet): capture.append(packet, isReceived: true, at: step.time)
      case .scans(let settings): room.scanner = settings
      }
    }
    return capture.bytes
  }
}
