// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

/// The bonds that bluetoothd keeps for the gateway: whether it still has them, and those that it is to remove.
///
/// Capacity: ``removalsMax`` devices to remove, as in the registry; the oldest is dropped.
package struct BusBonds: Equatable, Sendable {
  package static let removalsMax = RegistryLimits.bondRemovalsMax
  /// How long after bluetoothd started, or after a device went away, the bonds are compared with its list: at its end
  /// bluetoothd removes all objects before its name.
  static let checkMilliseconds: Int64 = 2000
  static let retryMilliseconds: Int64 = 60_000
  static let callMilliseconds: Int64 = 5000

  /// A comparison or a removal that is under way.
  package struct Job: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
      case check
      /// The device that has to be looked up in the list, or is being removed.
      case remove(DeviceAddress, isListed: Bool)
    }

    var kind: Kind
    var call: UInt64
    let end: Instant
  }

  /// The bonds of bluetoothd, and the lost ones of the gateway, whose identity keys find the devices. One that is to be
  /// removed counts as lost.
  package private(set) var stored: [DeviceBond] = []
  package private(set) var removals: [DeviceAddress] = []
  /// The bond that the pairing under way has made. It is among ``removals`` until the pairing ends.
  private var new: DeviceAddress?
  /// What the registry is to store about removals.
  var actions: [PairingAction] = []
  package var job: Job?
  /// When to compare the bonds with bluetoothd's list.
  var checkDue: Instant?
  /// When to remove the next device; nil if none is to be removed.
  var removalDue: Instant?

  /// The bonds that bluetoothd shall have.
  var kept: [DeviceBond] { stored.filter { !$0.isLost } }

  /// Takes the registry's bonds, which has yet to learn of some removals.
  mutating func keep(_ bonds: [DeviceBond], checkAt due: Instant) {
    let before = kept
    stored = bonds.filter { $0.owner == .bluetoothd || $0.isLost }
    for identity in removals { stored.lose(identity) }
    if kept.contains(where: { !before.contains($0) }) { checkDue = due }
    if kept.isEmpty { checkDue = nil }
  }

  mutating func lose(_ identity: DeviceAddress) { stored.lose(identity) }

  mutating func addRemoval(_ identity: DeviceAddress, at due: Instant) {
    guard !removals.contains(identity) else { return }
    if removals.count == Self.removalsMax { actions.append(.removalEnded(removals.removeFirst())) }
    removals.append(identity)
    actions.append(.removalWaits(identity))
    removalDue = min(removalDue ?? due, due)
  }

  /// bluetoothd has made a bond, which is to be removed unless an accessory gets it. An older bond is lost by it.
  mutating func addNewBond(_ identity: DeviceAddress, at due: Instant) {
    addRemoval(identity, at: due)
    lose(identity)
    new = identity
  }

  /// bluetoothd has removed the bond that the pairing under way has made.
  mutating func endNewBond(at now: Instant) {
    if let new = new.take() { endRemoval(new, at: now) }
  }

  /// The pairing has ended: with a bond for an accessory, or (nil) without one. The registry has the removal of that bond
  /// until it has the accessory.
  mutating func endPairing(with identity: DeviceAddress?, at now: Instant) {
    defer { new = nil }
    guard let identity else { return }
    if new != identity { endNewBond(at: now) }
    guard removals.contains(identity) else { return }
    removals.removeAll { $0 == identity }
    removalDue = removals.isEmpty ? nil : now
  }

  /// The device with this address turned out to have an identity, under which bluetoothd has its bond.
  mutating func noteIdentity(_ identity: DeviceAddress, of address: DeviceAddress) {
    guard let index = removals.firstIndex(of: address), !removals.contains(identity) else { return }
    removals[index] = identity
    lose(identity)
    if new == address { new = identity }
    actions += [.removalWaits(identity), .removalEnded(address)]
  }

  mutating func endRemoval(_ identity: DeviceAddress, at now: Instant) {
    guard removals.contains(identity) else { return }
    removals.removeAll { $0 == identity }
    removalDue = removals.isEmpty ? nil : now
    actions.append(.removalEnded(identity))
  }

  /// Tries a removal again later, after the others.
  mutating func postponeRemoval(_ identity: DeviceAddress, at now: Instant) {
    guard let index = removals.firstIndex(of: identity) else { return }
    removals.append(removals.remove(at: index))
    removalDue = now.advanced(milliseconds: Self.retryMilliseconds)
    // The registry may not have been able to keep it before.
    actions.append(.removalWaits(identity))
  }
}
