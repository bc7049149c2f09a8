// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
public import VirtualRadio

/// A capture of a scene: the packets between a host and its controller.
public enum DemoCapture {
  /// 2026-03-02 08:00:00 UTC in microseconds since 1970.
  static var start: Instant { Instant(microseconds: 1_772_438_400_000_000) }
  public static var seconds: Int { 70 }
  /// When the host changes from legacy to extended scanning.
  static var extendedSeconds: Int { 20 }

  /// The whole btsnoop file.
  public static func bytes(of script: SceneScript) -> [UInt8] {
    var scene = Scene(
      script.devices, scanner: .off, seed: script.seed, periodMicroseconds: script.periodMicroseconds)
    var capture = CaptureWriter(start: start)
    for step in HostScript.steps(address: script.controller.address) {
      while let packet = scene.next(before: step.time) {
        capture.append(packet.bytes, isReceived: true, at: packet.time)
      }
      switch step.action {
      case .sends(let packet): capture.append(packet, isReceived: false, at: step.time)
      case .receives(let packet): capture.append(packet, isReceived: true, at: step.time)
      case .scans(let settings): scene.scanner = settings
      }
    }
    return capture.bytes
  }
}
