// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import Registry
import Setup
public import Wireless

// The networks in reach: what items find among them, and what they are needed for.

extension AgentCore {
  var networks: NetworkTable { networkLink.table }
  var networkSightings: NetworkSightings { networkLink.sightings }

  /// Changes what is known of the networks in reach. The next turn acts on it.
  public func updateNetworks(at time: Instant, _ change: (inout NetworkTable) -> Void) {
    turn.advance(to: time)
    change(&networkLink.table)
  }

  /// What networks are needed for.
  public var networkDemand: NetworkDemand {
    guard configuration.manifest.gateway.wifi != nil else { return .none }
    if setupCore.hasNetworkPicker { return .picker }
    if setupCore.awaitsAutomaticNetworks { return .automatic }
    return .known
  }

  /// Lets items find networks, and lose them.
  func followNetworks() {
    followNetworkProblem()
    // Every turn comes here, and networks are read every five seconds at most.
    guard networkLink.sightings.isBehind(networkLink.table) else { return }
    for event in networkLink.sightings.follow(networks, at: now) { feeds.networks.append(event) }
    _ = networkLink.table.removeLost()
  }

  /// The items that networks are compared with are others.
  func networkItemsChanged() {
    for event in networkLink.sightings.setItems(dataPath.items, networks, at: now) {
      feeds.networks.append(event)
    }
    followNetworkInterest()
  }

  /// What a full table keeps follows the items and the accessories.
  func followNetworkInterest() {
    guard configuration.manifest.gateway.wifi != nil else { return }
    let items = networkSightings.matcher
    let own = Set(setupCore.registry.accessories.compactMap(\.ssid))
    networkLink.table.setInterest { name in
      if own.contains(name.bytes) { return .accessory }
      return items.matches(of: name.bytes).indices.isEmpty ? .none : .item
    }
  }

  /// Returns the networks that were found by an item for which a request is open, or that is set up automatically.
  func matchedNetworks(_ wanted: [Bool?]) -> [MatchedDevice] {
    var devices: [MatchedDevice] = []
    for name in networkSightings.names {
      guard let entry = networkSightings[name], isOffered(entry.network) else { continue }
      for index in entry.items {
        guard let isReported = wanted[index] else { continue }
        let item = dataPath.items[index]
        let network = entry.network
        devices.append(
          MatchedDevice(
            .network(name.bytes), app: item.app, item: item.item.id,
            level: network.signal.map { Int16($0) << 4 }, hasResponded: true,
            report: isReported
              ? DeviceReport(
                payload: [], rssi: network.signal, isConnectable: false, time: network.lastSeen) : nil))
      }
    }
    return devices
  }

  /// Whether a network was seen so lately that a person may expect it to be there.
  private func isOffered(_ network: WirelessNetwork) -> Bool {
    now.milliseconds(since: network.lastSeen) <= NetworkSightings.offeredMilliseconds
  }

  /// The network with a name that an item has found, and that may be expected to be there; nil for others.
  func networkInSight(_ name: [UInt8]) -> WirelessNetwork? {
    guard let name = NetworkName(name), let network = networkSightings[name]?.network, isOffered(network)
    else { return nil }
    return network
  }

  // MARK: - For operators

  /// The name and the line of a network that items have found, by its place among them; nil beyond the last.
  func foundNetwork(_ index: Int) -> (name: [UInt8], NetworkLine)? {
    guard networkSightings.names.indices.contains(index) else { return nil }
    let name = networkSightings.names[index]
    return line(ofNetwork: name).map { (name.bytes, $0) }
  }

  /// The line of a network; nil when it is not in the table any more.
  func line(ofNetwork name: NetworkName) -> NetworkLine? {
    let radios = networks.networks(named: name)
    guard let strongest = radios.first else { return nil }
    let lastSeen = radios.map(\.lastSeen).reduce(strongest.lastSeen, max)
    let items = NetworkItems(dataPath.items).matches(of: name.bytes).indices.map { index in
      let entry = dataPath.items[index]
      return NetworkLine.Item(
        app: entry.app, item: entry.item.id, isFound: networkSightings.isFound(name, by: index))
    }
    return NetworkLine(
      ssid: AirText(name.bytes), bssid: strongest.bssid.description, radios: radios.count,
      signal: strongest.signal, frequency: strongest.frequencyMegahertz,
      security: strongest.security,
      lastSeen: Seconds(microseconds: lastSeen.microseconds),
      silence: Seconds(microseconds: max(0, now.microseconds &- lastSeen.microseconds)), items: items)
  }
}
