// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What the kernel knew of networks at one moment.
///
/// Capacity: 4,096 networks, more than the kernel keeps; what is beyond is counted.
public struct NetworkList: Equatable, Sendable {
  public static let capacity = 4096

  /// In the order of the kernel, hidden ones included.
  public private(set) var networks: [WirelessNetwork] = []
  /// Whether the interface is connected to a network.
  public var isAssociated = false
  /// The radio of that network, if the source says so.
  public var accessPoint: BSSID?
  /// Networks whose name has more than 32 bytes.
  public var namesRefused: UInt64 = 0
  /// Networks or messages that were malformed, and networks beyond the capacity.
  public var malformed: UInt64 = 0

  public init() {}

  public mutating func append(_ network: WirelessNetwork) {
    guard networks.count < Self.capacity else {
      malformed &+= 1
      return
    }
    networks.append(network)
  }

  /// When a network was last heard that an interface hears only while it scans: none of the radio to which it is
  /// connected, which may send several networks in its beacons, with addresses that differ in the last byte (IEEE
  /// 802.11-2020, 9.4.2.45).
  var lastHeardByScan: Instant? {
    networks.lazy.filter { $0.bssid.bits >> 8 != accessPoint.map { $0.bits >> 8 } }.map(\.lastSeen).max()
  }

  /// The same list by a clock that reads `now` at the moment for which this one has 0.
  public func shifted(to now: Instant) -> NetworkList {
    var list = self
    for index in list.networks.indices {
      list.networks[index].lastSeen.microseconds &+= now.microseconds
    }
    return list
  }
}
