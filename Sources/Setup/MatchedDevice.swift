// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A device as the tables have it now, with one item that has found it: it matches, and the gate, where there is one, has
/// let it in.
public struct MatchedDevice: Equatable, Sendable {
  /// As events give it: the identity when it was resolved.
  public var address: DeviceAddress
  public var app: String
  /// The id of the item.
  public var item: String
  /// The level that gates decide on, in sixteenths of a dB.
  public var level: Int16?
  public var rssi: Int8?
  /// Its scan response has come, or it has none.
  public var hasResponded: Bool
  /// Advertising data, then scan response; empty when nobody is told.
  public var payload: [UInt8]

  public init(
    _ address: DeviceAddress, app: String, item: String, level: Int16?, rssi: Int8?,
    hasResponded: Bool, payload: [UInt8] = []
  ) {
    self.address = address
    self.app = app
    self.item = item
    self.level = level
    self.rssi = rssi
    self.hasResponded = hasResponded
    self.payload = payload
  }
}
