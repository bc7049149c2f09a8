// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Registry

/// A bond of bluetoothd, or a lost one of the gateway, as the registry has it.
public struct BusBond: Equatable, Sendable {
  public let identity: DeviceAddress
  public let identityKey: KeyValue?
  /// The device or the owner no longer has it. Its identity key still finds the device to pair it again.
  public let isLost: Bool

  public init(identity: DeviceAddress, identityKey: KeyValue?, isLost: Bool = false) {
    self.identity = identity
    self.identityKey = identityKey
    self.isLost = isLost
  }
}

/// The bonds that bluetoothd keeps for the gateway: whether it still has them, and those that it is to remove.
///
/// Capacity: ``removalsMax`` devices to remove, as in the registry; the oldest is dropped.
struct BusBonds: Equatable, Sendable {
  static let removalsMax = RegistryLimits.bondRemovalsMax
  /// How long after bluetoothd started, or after a device went away, the bonds are compared with its list: at its end
  /// bluetoothd removes all objects before its name.
  static let checkMilliseconds: Int64 = 2000
  static let retryMilliseconds: Int64 = 60_000
  static let callMilliseconds: Int64 = 5000

  /// A comparison or a removal that is under way.
  struct Job: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
      case check
      /// The device that has to be looked up in the list, or is being removed.
      case remove(DeviceAddress, isListed: Bool)
    }

    var kind: Kind
    var call: UInt64
    let end: Instant
  }

  private(set) var kept: [BusBond] = []
  private(set) var lost: [BusBond] = []
  private(set) var removals: [DeviceAddress] = []
  /// The bond that the pairing under way has made. It is among ``removals`` until the pairing ends.
  private var new: DeviceAddress?
  private var actions: [PairingAction] = []
  var job: Job?
  /// When to compare the bonds with bluetoothd's list.
  var checkDue: Instant?
  /// When to remove the next device; nil if none is to be removed.
  var removalDue: Instant?

  func keeps(_ identity: DeviceAddress) -> Bool { kept.contains { $0.identity == identity } }

  /// Removes and returns what the registry is to keep about removals.
  mutating func takeActions() -> [PairingAction] {
    defer { actions.removeAll() }
    return actions
  }

  /// A bond that is to be removed counts as lost, even if the registry has yet to learn of it.
  mutating func keep(_ bonds: [BusBond], checkAt due: Instant) {
    let good = bonds.filter { !$0.isLost && !removals.contains($0.identity) }
    if good.contains(where: { !kept.contains($0) }) { checkDue = due }
    (kept, lost) = (good, bonds.filter { !good.contains($0) })
    if kept.isEmpty { checkDue = nil }
  }

  mutating func lose(_ identity: DeviceAddress) {
    lost += kept.filter { $0.identity == identity }
    kept.removeAll { $0.identity == identity }
  }

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
