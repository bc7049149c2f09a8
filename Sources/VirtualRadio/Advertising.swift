// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// How a device advertises.
public enum Advertising: Equatable, Sendable {
  /// A legacy PDU other than the directed one and the scan response.
  case legacy(AdvertisingPDU)
  /// ADV_DIRECT_IND, which has no data.
  case directed(to: DeviceAddress)
  case extended(AdvertisingSet)
}
