// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
public import HCI
public import Registry

/// The bond of a device, in the registry or just made. The identity key of a lost one still finds the device, to pair it
/// again.
public struct DeviceBond: Equatable, Sendable {
  public let identity: DeviceAddress
  /// Never ``Bond/none``.
  public let bond: Bond

  public init(_ identity: DeviceAddress, _ bond: Bond) { (self.identity, self.bond) = (identity, bond) }

  /// The device or the owner no longer has its keys.
  var isLost: Bool { !bond.isBonded }
  /// The same bond once it is lost.
  var lost: Self { Self(identity, bond.record.map { .lost($0) } ?? .none) }
  var owner: BondOwner? { bond.record?.owner }
  var keys: BondKeys { bond.record?.keys ?? BondKeys() }

  /// Whether the kernel would name the device by the bond's identity.
  func names(_ address: DeviceAddress) -> Bool {
    address == identity || keys.identityKey(of: identity)?.resolves(address) == true
  }

  private static let keyKindMax: UInt8 = 4
  private static let linkKeyKindMax: UInt8 = 8

  var mgmtIdentityKey: MgmtKey<KeyValue>? {
    identity.isMgmtIdentity ? keys.identityKey.map { MgmtKey(identity, $0) } : nil
  }

  var mgmtLongTermKeys: [MgmtKey<LongTermKey>] {
    guard !isLost, identity.isMgmtIdentity else { return [] }
    return keys.longTermKeys.filter {
      $0.kind <= Self.keyKindMax && $0.central <= 1 && LongTermKey.byteCounts.contains($0.byteCount)
    }.map { MgmtKey(identity, $0) }
  }

  var mgmtLinkKey: MgmtKey<LinkKey>? {
    guard !isLost, identity.isPublic, let key = keys.linkKey, key.kind <= Self.linkKeyKindMax else {
      return nil
    }
    return MgmtKey(identity, key)
  }
}

extension [DeviceBond] {
  /// Whether the bond with this device is good.
  package func areGood(for identity: DeviceAddress) -> Bool {
    contains { $0.identity == identity && !$0.isLost }
  }

  mutating func lose(_ identity: DeviceAddress) {
    for index in indices where self[index].identity == identity { self[index] = self[index].lost }
  }

  mutating func remove(_ identity: DeviceAddress) { removeAll { $0.identity == identity } }
}

// The kernel refuses a whole list because of one key, so a key that it would not take is left out (Linux 6.12,
// net/bluetooth/mgmt.c, irk_is_valid and ltk_is_valid).

extension DeviceAddress {
  /// Whether the address never changes: it is public or static.
  var isMgmtIdentity: Bool { lifetime == .durable }
  fileprivate var isPublic: Bool { type == .public || type == .publicIdentity }
}
