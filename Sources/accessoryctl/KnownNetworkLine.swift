// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import KnownNetworks
import Manifest
import ToolText

/// A network that this machine knows, and the items that look for it: a line of `migrate --json`.
struct KnownNetworkLine: Line {
  /// An item that looks for the network.
  private struct Taker: Line {
    let app: String
    let item: String
    /// The item finds accessories by their network; otherwise the network belongs to a device with Bluetooth.
    let isFoundByNetwork: Bool

    func writeMembers(to json: inout JSONWriter) {
      json.member("app", app)
      json.member("item", item)
      json.member("isFoundByNetwork", isFoundByNetwork)
    }
  }

  private let ssid: AirText
  private let stores: [KnownNetwork.Store]
  private let takers: [Taker]

  /// The network with its stores; nil when no item looks for it.
  init?(_ ssid: [UInt8], in stores: [KnownNetwork.Store], _ manifest: GatewayManifest) {
    let takers = manifest.items.filter { entry in
      entry.item.selection != .observe && entry.item.descriptor.matches(network: ssid)
    }
    guard !takers.isEmpty else { return nil }
    self.ssid = AirText(ssid)
    self.stores = stores
    self.takers = takers.map { entry in
      Taker(
        app: entry.app, item: entry.item.id, isFoundByNetwork: entry.item.descriptor.isFoundByNetwork)
    }
  }

  func writeMembers(to json: inout JSONWriter) {
    json.member("ssid", networkName: ssid)
    json.member("stores", stores.map(\.rawValue))
    json.objects("items", takers)
  }

  var text: String {
    var text = "network \(ssid.terminal()), known to \(stores.map(\.name).joined(separator: " and "))\n"
    for taker in takers {
      let item = AirText(Array("\(taker.app)/\(taker.item)".utf8)).escaped()
      text +=
        taker.isFoundByNetwork
        ? "  \(item) takes it\n" : "  \(item) takes it as the network of a device with Bluetooth\n"
    }
    return text
  }
}

extension [KnownNetwork] {
  /// The lines of the networks that some item looks for, and how many others there are. `self` is in the order of names.
  func lines(for manifest: GatewayManifest) -> (lines: [KnownNetworkLine], others: Int) {
    var stores: [[UInt8]: [KnownNetwork.Store]] = [:]
    for network in self { stores[network.ssid, default: []].append(network.store) }
    let names = stores.keys.sorted { $0.lexicographicallyPrecedes($1) }
    let lines = names.compactMap { KnownNetworkLine($0, in: stores[$0] ?? [], manifest) }
    return (lines, names.count - lines.count)
  }
}
