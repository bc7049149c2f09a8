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

  /// The same list by a clock that reads `now` at the moment for which this one has 0.
  public func shifted(to now: Instant) -> NetworkList {
    var list = self
    for index in list.networks.indices {
      list.networks[index].lastSeen.microseconds &+= now.microseconds
    }
    return list
  }
}
