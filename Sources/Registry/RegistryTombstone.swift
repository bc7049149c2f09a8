// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// That a device was removed from an app: it is not set up again by touch or automatically until an operator allows it.
public struct RegistryTombstone: Equatable, Sendable, NumberedRow {
  public var number: Int64
  public var app: String
  public var item: String
  public var identity: DeviceIdentity
  /// Where else the device advertised from.
  public var secondAddress: DeviceAddress?

  public init(
    number: Int64, app: String, item: String, identity: DeviceIdentity, secondAddress: DeviceAddress? = nil
  ) {
    self.number = number
    self.app = app
    self.item = item
    self.identity = identity
    self.secondAddress = secondAddress
  }

  /// Whether it is that device's.
  public func has(_ identity: DeviceIdentity) -> Bool {
    self.identity == identity || (secondAddress.map { .bluetooth($0) == identity } ?? false)
  }
}
