// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Interfaces
import Manifest

// How values of the radio stand in JSON: their words, and the plain values that carry them.

extension WireAddress {
  public init(_ address: DeviceAddress) {
    self.init(bits: address.bits, type: Kind(address.type))
  }
}

extension DeviceAddress {
  public init(_ address: WireAddress) {
    self.init(bits: address.bits, type: AddressType(address.type))
  }

  /// `AA:BB:CC:DD:EE:FF`, the most significant byte first; nil for an anonymous advertiser, which has none.
  public var text: String? { WireAddress(self).text }
}

extension WireAddress.Kind {
  fileprivate init(_ type: AddressType) {
    switch type {
    case .public: self = .public
    case .random: self = .random
    case .publicIdentity: self = .publicIdentity
    case .randomIdentity: self = .randomIdentity
    case .anonymous: self = .anonymous
    }
  }
}

extension AddressType {
  fileprivate init(_ kind: WireAddress.Kind) {
    switch kind {
    case .public: self = .public
    case .random: self = .random
    case .publicIdentity: self = .publicIdentity
    case .randomIdentity: self = .randomIdentity
    case .anonymous: self = .anonymous
    }
  }

  public var text: String { WireAddress.Kind(self).rawValue }
}

extension BluetoothUUID {
  /// 4, 8 or 8-4-4-4-12 lower-case digits: the shortest form, whichever size the advertiser used.
  public var text: String { IdentifierText.text(of: self) }
}

extension Seconds {
  /// From `start` to `end`; negative when the clock was set back in between.
  public init(from start: Instant, to end: Instant) {
    self.init(microseconds: end.microseconds &- start.microseconds)
  }
}
