// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import KnownNetworks

/// Reads a store of networks as each of the programs writes it: no name has more bytes than the store.
func fuzzStores(_ bytes: RawSpan) {
  let text = (0..<bytes.byteCount).map { bytes.uint8(at: $0) }
  let names =
    WPASupplicantFile.names(in: text).names + NetworkManagerProfile.names(in: text).names
    + HexadecimalName.names(ofIWDFile: String(decoding: text, as: UTF8.self)).names
  precondition(names.allSatisfy { $0.count <= text.count }, "a name that is longer than its store")
}

/// A profile of NetworkManager, a configuration of wpa_supplicant, and names of iwd's files.
let storeSeeds: [[UInt8]] = [
  Array("[wifi]\nmode=infrastructure\nssid=75;195;188;99;\n".utf8),
  Array(#"[802-11-wireless]\#nssid=97\\;0\\;98\\;\#n"#.utf8),
  Array(
    #"network={\#n ssid="Cam-1"\#n}\#nnetwork={\#n ssid=P"\x43\101\n"\#n}\#nnetwork={\#n ssid=4361\#n}\#n"#
      .utf8),
  Array("Cam-1.psk".utf8), Array("=43ff00.open".utf8),
]
