// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// How two descriptors can mean one device, or one network.
///
/// An estimate, for a warning: two keys, two names, two values under common mask bits, or a name in one descriptor and
/// data in the other count as distinguishing devices, although one device may carry both.
public enum DescriptorOverlap: Equatable, Sendable {
  /// The two share a key, and nothing distinguishes them.
  case someDevices
  /// Every device that matches the second matches the first.
  case firstCoversSecond
  /// Every device that matches the first matches the second.
  case secondCoversFirst

  /// Returns nil if a clause distinguishes the two, or if they share no key.
  public init?(_ first: DiscoveryDescriptor, _ second: DiscoveryDescriptor) {
    if first.isFoundByNetwork, second.isFoundByNetwork {
      if first.coversNetworks(of: second) {
        self = .firstCoversSecond
      } else if second.coversNetworks(of: first) {
        self = .secondCoversFirst
      } else {
        return nil
      }
      return
    }
    guard first.sharesKey(with: second), !first.isDistinguishable(from: second) else { return nil }
    if first.covers(second) {
      self = .firstCoversSecond
    } else if second.covers(first) {
      self = .secondCoversFirst
    } else {
      self = .someDevices
    }
  }
}

extension DiscoveryDescriptor {
  /// Whether every network name that the other matches is matched by this one.
  fileprivate func coversNetworks(of other: DiscoveryDescriptor) -> Bool {
    guard ssid == nil || other.ssid != nil, let name = other.ssid ?? other.ssidPrefix else { return false }
    return matches(network: name)
  }

  fileprivate func sharesKey(with other: DiscoveryDescriptor) -> Bool {
    (companyIdentifier != nil && companyIdentifier == other.companyIdentifier)
      || (serviceUUID != nil && serviceUUID == other.serviceUUID)
      || (!hasKey && !other.hasKey && hasBluetoothClause && other.hasBluetoothClause)
  }

  fileprivate func isDistinguishable(from other: DiscoveryDescriptor) -> Bool {
    differs(companyIdentifier, other.companyIdentifier) { $0 == $1 }
      || differs(serviceUUID, other.serviceUUID) { $0 == $1 }
      || differs(manufacturerData, other.manufacturerData) { $0.isCompatible(with: $1) }
      || differs(serviceData, other.serviceData) { $0.isCompatible(with: $1) }
      || differs(nameSubstring, other.nameSubstring) { $0.holds($1) || $1.holds($0) }
      || differs(addressPrefix, other.addressPrefix) { $0.begins($1) || $1.begins($0) }
      || !ClauseKinds(self).canMeet(ClauseKinds(other))
  }

  /// Whether every clause of this descriptor follows from one of the other.
  fileprivate func covers(_ other: DiscoveryDescriptor) -> Bool {
    follows(companyIdentifier, other.companyIdentifier) { $0 == $1 }
      && follows(serviceUUID, other.serviceUUID) { $0 == $1 }
      && follows(manufacturerData, other.manufacturerData) { $1.implies($0) }
      && follows(serviceData, other.serviceData) { $1.implies($0) }
      && follows(nameSubstring, other.nameSubstring) { $1.holds($0) }
      && (nameSubstring == nil || nameCompareOptions == other.nameCompareOptions)
      && follows(addressPrefix, other.addressPrefix) { $0.begins($1) }
  }
}

extension AddressPrefix {
  /// Whether every address that begins like `other` begins like this.
  fileprivate func begins(_ other: AddressPrefix) -> Bool {
    byteCount <= other.byteCount && other.bits >> (8 * UInt64(other.byteCount - byteCount)) == bits
  }
}

extension MaskedBytes {
  /// Whether every payload that matches this matches `weaker`.
  fileprivate func implies(_ weaker: MaskedBytes) -> Bool {
    guard weaker.blob.count <= blob.count, isCompatible(with: weaker) else { return false }
    return zip(weaker.mask, mask).allSatisfy { $0 & ~$1 == 0 }
  }
}

/// Whether both clauses exist and are unlike.
private func differs<Clause>(_ left: Clause?, _ right: Clause?, _ alike: (Clause, Clause) -> Bool) -> Bool {
  guard let left, let right else { return false }
  return !alike(left, right)
}

/// Whether `clause` is absent, or `other` guarantees it.
private func follows<Clause>(_ clause: Clause?, _ other: Clause?, _ holds: (Clause, Clause) -> Bool) -> Bool {
  guard let clause else { return true }
  guard let other else { return false }
  return holds(clause, other)
}

extension [UInt8] {
  /// Whether the bytes contain `run`. (The standard library's search for one collection in another would link its
  /// regular expressions, a megabyte of program.)
  fileprivate func holds(_ run: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: run) }
  }
}
