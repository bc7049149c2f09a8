// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The bonds that bluetoothd keeps: those that it lost, and those that it is to remove.
extension BluetoothdPairing {
  var canBeginJob: Bool {
    attempt == nil && bonds.job == nil && adapter != nil && bus == .open(isRunning: true)
  }

  /// Begins the next comparison or removal. Both begin with a list.
  mutating func beginJobIfDue(at now: Instant) {
    guard canBeginJob else { return }
    if let due = bonds.removalDue, due <= now, let identity = bonds.removals.first {
      beginJob(.remove(identity, isListed: false), at: now)
    } else if let due = bonds.checkDue, due <= now {
      bonds.checkDue = nil
      beginJob(.check, at: now)
    }
  }

  private mutating func beginJob(_ kind: BusBonds.Job.Kind, at now: Instant) {
    objects.beginList()
    let number = call(.listObjects, milliseconds: BusBonds.callMilliseconds)
    let end = now.advanced(milliseconds: 2 * BusBonds.callMilliseconds)
    bonds.job = BusBonds.Job(kind: kind, call: number, end: end)
  }

  mutating func receiveJobReply(_ failure: BusCallError?, at now: Instant) {
    guard let job = bonds.job else { return }
    bonds.job = nil
    switch job.kind {
    case .check: endCheck(failure, at: now)
    case .remove(let identity, isListed: false): removeListed(identity, job, failure, at: now)
    case .remove(let identity, isListed: true):
      if let failure, !failure.isUnknownObject { return bonds.postponeRemoval(identity, at: now) }
      bonds.endRemoval(identity, at: now)
    }
  }

  private mutating func removeListed(
    _ identity: DeviceAddress, _ job: BusBonds.Job, _ failure: BusCallError?, at now: Instant
  ) {
    guard failure == nil else { return bonds.postponeRemoval(identity, at: now) }
    objects.endList()
    // Without the adapter the list does not say whether there is a bond.
    guard let adapterPath else { return bonds.postponeRemoval(identity, at: now) }
    guard let device = objects.device(of: adapterPath, where: { $0 == identity }) else {
      return bonds.endRemoval(identity, at: now)
    }
    var next = job
    next.kind = .remove(identity, isListed: true)
    next.call = call(
      .removeDevice(device, adapter: adapterPath), milliseconds: BusBonds.callMilliseconds)
    bonds.job = next
  }

  private mutating func endCheck(_ failure: BusCallError?, at now: Instant) {
    let isListed = failure == nil
    if isListed { objects.endList() }
    guard isListed, let adapterPath else {
      bonds.checkDue = now.advanced(milliseconds: BusBonds.retryMilliseconds)
      return
    }
    for bond in bonds.kept {
      let device = objects.device(of: adapterPath) { $0 == bond.identity }
      if !(device.map { objects.isPaired($0) } ?? false) { reportLoss(of: bond.identity) }
    }
  }

  mutating func reportLoss(of identity: DeviceAddress) {
    guard bonds.stored.areGood(for: identity), !bonds.removals.contains(identity) else { return }
    bonds.lose(identity)
    actions.append(.bondWasLost(identity))
  }

  /// Compares the bonds with bluetoothd's list soon, if this is the device of one of them.
  mutating func suspectLoss(of path: String, at now: Instant) {
    guard let address = objects.address(of: path), bonds.stored.areGood(for: address) else { return }
    bonds.checkDue = now.advanced(milliseconds: BusBonds.checkMilliseconds)
  }
}
