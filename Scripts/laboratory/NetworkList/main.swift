// SPDX-License-Identifier: GPL-3.0-or-later
//
// network-list INTERFACE: prints the networks that the kernel knows, once by each source, as the agent reads them. A line is
// the source, then address, name in hex, frequency in MHz, signal in dBm and security; or the source and an error's word.

import KernelNetworks
import LinuxSystem
import Wireless

guard CommandLine.arguments.count == 2 else { fatalError("network-list INTERFACE") }

func show(_ name: String, _ source: any WirelessSource) {
  do throws(WirelessError) {
    guard let list = try source.readNetworks(of: CommandLine.arguments[1]).list else {
      print(name, "scanning")
      return
    }
    for network in list.networks.sorted(by: { $0.bssid < $1.bssid }) {
      let bytes = network.name.bytes.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
      print(
        name, network.bssid, bytes.isEmpty ? "-" : bytes, network.frequencyMegahertz ?? 0,
        network.signal ?? 0,
        network.security.rawValue)
    }
    print(name, "refused", list.namesRefused)
  } catch {
    print(
      name, "error",
      error == .lacking(.room) ? "room" : error == .lacking(.extensions) ? "extensions" : error.word)
  }
}

do {
  show("extensions", try ExtensionsSource())
  show("nl80211", NetlinkSource())
} catch {
  fatalError("\(error)")
}
