// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
public import HCI
public import Registry

/// A bond to load into the kernel. Of a bond that bluetoothd lost, only the identity key is loaded.
public struct KernelBond: Equatable, Sendable {
  public let identity: DeviceAddress
  public let keys: BondKeys
  /// Only the identity key is loaded.
  public var isLost: Bool

  public init(identity: DeviceAddress, keys: BondKeys, isLost: Bool = false) {
    self.identity = identity
    self.keys = keys
    self.isLost = isLost
  }

  /// Whether the kernel would name the device by the bond's identity.
  func names(_ address: DeviceAddress) -> Bool {
    address == identity || keys.identityKey(of: identity)?.resolves(address) == true
  }
}

// The kernel refuses a whole list because of one key, so a key that it would not take is left out (Linux 6.12,
// net/bluetooth/mgmt.c, irk_is_valid and ltk_is_valid).

extension KernelBond {
  private static let keyKindMax: UInt8 = 4
  private static let linkKeyKindMax: UInt8 = 8

  var mgmtIdentityKey: MgmtIdentityKey? {
    guard identity.isMgmtIdentity, let key = keys.identityKey, let value = MgmtKeyValue(key.bytes) else {
      return nil
    }
    return MgmtIdentityKey(identity: identity, value: value)
  }

  var mgmtLongTermKeys: [MgmtLongTermKey] {
    guard !isLost, identity.isMgmtIdentity else { return [] }
    return keys.longTermKeys.compactMap { key in
      guard key.kind <= Self.keyKindMax, key.central <= 1, LongTermKey.byteCounts.contains(key.byteCount),
        let value = MgmtKeyValue(key.value.bytes)
      else { return nil }
      return MgmtLongTermKey(
        device: identity, kind: key.kind, central: key.central, byteCount: key.byteCount,
        diversifier: key.diversifier, random: key.random, value: value)
    }
  }

  var mgmtLinkKey: MgmtLinkKey? {
    guard !isLost, identity.isPublic, let key = keys.linkKey, key.kind <= Self.linkKeyKindMax,
      let value = MgmtKeyValue(key.value.bytes)
    else { return nil }
    return MgmtLinkKey(device: identity, kind: key.kind, pinByteCount: key.pinByteCount, value: value)
  }
}

extension DeviceAddress {
  /// Whether the address never changes: it is public or static.
  var isMgmtIdentity: Bool { lifetime == .durable }
  fileprivate var isPublic: Bool { type == .public || type == .publicIdentity }
}
