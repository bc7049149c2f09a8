// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension VirtualController {
  mutating func reset(at time: Instant) {
    linkLayer = LinkLayer(hasPublicAddress: script.hasPublicAddress)
    follow(from: time)
  }

  /// Brings the scene in line with what the host has set.
  mutating func follow(from time: Instant) {
    scene.discard()
    scene.filter = linkLayer.filter(address: script.address)
    scan(from: time)
  }

  /// A scan, or one period of it, begins; or none is wanted.
  mutating func scan(from time: Instant) {
    let enabled = linkLayer.enabled
    scene.scanner = linkLayer.settings(from: time, batchPerMille: script.batchPerMille)
    scanEnd = enabled?.duration.map { Instant(microseconds: time.microseconds + $0) }
    nextScan = enabled?.period.map { Instant(microseconds: time.microseconds + $0) }
  }

  /// A duration has passed. Without a period the scan is over, and an event says so (7.7.65.17).
  mutating func endScan(at time: Instant) {
    scanEnd = nil
    scene.scanner = .off
    guard nextScan == nil else { return }
    linkLayer.endScan()
    if linkLayer.eventMask.contains(.leMeta), linkLayer.leEventMask.contains(.scanTimeout) {
      post(PacketEncoder.leMetaEvent(0x11, []), at: time)
    }
  }
}
