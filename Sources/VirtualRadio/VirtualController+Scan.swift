// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension VirtualController {
  mutating func reset(at time: Instant) {
    linkLayer = LinkLayer(hasPublicAddress: script.hasPublicAddress)
    applySettings(from: time)
  }

  /// Applies the host's settings to the scene.
  mutating func applySettings(from time: Instant) {
    scene.discard()
    scene.filter = linkLayer.filter(address: script.address)
    startScan(from: time)
  }

  /// Begins a scan, or one period of it; turns the scanner off when the host has enabled no scan.
  mutating func startScan(from time: Instant) {
    let enabled = linkLayer.enabled
    scene.scanner = linkLayer.settings(from: time, batchPerMille: script.batchPerMille)
    scanEnd = enabled?.duration.map { Instant(microseconds: time.microseconds + $0) }
    nextScan = enabled?.period.map { Instant(microseconds: time.microseconds + $0) }
  }

  /// Ends a scan whose duration has passed. Without a period the scan is over, and an event reports it (7.7.65.17).
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
