// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import Registry

/// What the kernel reports about keys while bluetoothd pairs: the device's identity, whether the bond is authenticated, how
/// long its keys are, and whether there is one for BR/EDR. The keys themselves, but for that of the identity, belong to
/// bluetoothd and are not kept.
///
/// Capacity: ``entriesMax`` of each; the oldest is dropped.
struct BusKeys: Equatable, Sendable {
  static let entriesMax = 8

  private struct LongTerm: Equatable, Sendable {
    let device: DeviceAddress
    let isAuthenticated: Bool
    let byteCount: UInt8
  }

  private struct Identity: Equatable, Sendable {
    let address: DeviceAddress?
    let identity: DeviceAddress
    let key: KeyValue
  }

  private var longTerm: [LongTerm] = []
  private var identities: [Identity] = []
  private var linked: [DeviceAddress] = []

  mutating func receive(_ event: MgmtBondEvent) {
    switch event {
    case .longTermKey(let key, isToBeKept: true):
      longTerm = longTerm.suffix(Self.entriesMax - 1)
      longTerm.append(
        LongTerm(
          device: key.device, isAuthenticated: key.key.isAuthenticated, byteCount: key.key.byteCount))
    case .identityKey(let key, let address, isToBeKept: true):
      identities = identities.suffix(Self.entriesMax - 1)
      identities.append(Identity(address: address, identity: key.device, key: key.key))
    case .linkKey(let key, isToBeKept: true):
      linked = linked.suffix(Self.entriesMax - 1)
      linked.append(key.device)
    case .longTermKey, .identityKey, .linkKey, .connected, .connectFailed, .authenticationFailed,
      .confirmationRequest, .passkeyRequest, .passkeyNotification, .unpaired:
      break
    }
  }

  /// Returns the identity of the device that was paired under this address.
  func identity(of address: DeviceAddress) -> DeviceAddress? {
    identities.last { $0.address == address || $0.identity == address }?.identity
  }

  func identityKey(of identity: DeviceAddress) -> KeyValue? {
    identities.last { $0.identity == identity }?.key
  }

  /// Whether the device of this identity has a long term key, and an authenticated one; nil without one.
  func isAuthenticated(_ identity: DeviceAddress) -> Bool? {
    let keys = longTerm.filter { $0.device == identity }
    return keys.isEmpty ? nil : keys.contains { $0.isAuthenticated }
  }

  /// Whether a key for BR/EDR came with the pairing of the device of this identity.
  func hasLinkKey(_ identity: DeviceAddress) -> Bool { linked.contains(identity) }

  /// How many bytes the longest long term key of the device of this identity has; nil without one of a valid size.
  func byteCount(of identity: DeviceAddress) -> UInt8? {
    longTerm.filter { $0.device == identity }.map(\.byteCount).filter(LongTermKey.byteCounts.contains).max()
  }
}
