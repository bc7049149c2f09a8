// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import ManifestFormat
import TestSupport

/// Reads a manifest, the other two kinds of file, and builds the data path of what was accepted.
func fuzzManifest(_ bytes: RawSpan) {
  let text = bytes.bytes
  let reading = ManifestReader.read(text: text, fileName: "fuzzed.toml")
  precondition(reading.manifest != nil || !reading.diagnostics.isEmpty, "refused without a reason")
  for line in reading.lines {
    precondition(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character for the terminal")
  }
  _ = BoardProfileReader.read(text: text, fileName: "fuzzed.toml").lines
  _ = IdentityKeysReader.read(text: text, fileName: "fuzzed.toml").lines
  guard var manifest = reading.manifest else { return }
  manifest.gateway.capacities.devices = min(manifest.gateway.capacities.devices, 16)
  let path = ManifestDataPath(manifest)
  path.pipeline.checkInvariants()
}
