// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import ManifestFormat
import SceneFormat
import TestSupport
import VirtualRadio

/// Reads a scene, and listens for a second to what was accepted.
func fuzzScene(_ bytes: RawSpan) {
  let reading = SceneReader.read(text: bytes.bytes, fileName: "fuzzed.toml")
  precondition(reading.value != nil || !reading.diagnostics.isEmpty, "refused without a reason")
  for line in reading.lines {
    precondition(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character for the terminal")
  }
  guard var scene = reading.value else { return }
  // A second of a few devices is enough, and as much as an input has time for.
  scene.devices = Array(scene.devices.prefix(4))
  var controller = VirtualController(scene)
  for packet in wakeUp { controller.receive(packet, at: Instant(microseconds: 0)) }
  while let packet = controller.next(before: Instant(microseconds: 1_000_000)) {
    precondition(packet.time < Instant(microseconds: 1_000_000), "a packet from the future")
  }
}

/// Set Event Mask and LE Set Event Mask, everything; active scanning, enabled.
private let wakeUp: [[UInt8]] = [
  PacketEncoder.command(0x0C01, Array(repeating: 0xFF, count: 8)),
  PacketEncoder.command(0x2001, Array(repeating: 0xFF, count: 8)),
  PacketEncoder.command(0x200B, [1, 0x60, 0, 0x60, 0, 0, 0]), PacketEncoder.command(0x200C, [1, 0]),
]
