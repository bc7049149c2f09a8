// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import Pairing

extension KernelPairing {
  /// Traps when a bound is passed or the parts disagree.
  package func checkInvariants() {
    precondition(isPairing == (state != .idle), "a pairing has a state")
    precondition(adapter != nil || state == .idle, "there is no pairing without an adapter")
    precondition(stateEnd != nil || state == .idle, "every state of a pairing has a deadline")
    precondition(newBonds.count <= Self.newBondsMax, "new bonds have a bound")
    precondition(bondable.isWanted == allowsKeys, "keys are kept during a pairing only")
    precondition(unpairs.count <= UnpairQueue.countMax, "removals have a bound")
    precondition(adapter != nil || deadline == nil, "a closed adapter awaits nothing")
  }
}

extension BluetoothdPairing {
  /// Traps when a bound is passed or the parts disagree.
  package func checkInvariants() {
    precondition(attempt == nil || deadline != nil, "every state of a pairing has a deadline")
    precondition(attempt == nil || adapter != nil, "there is no pairing without an adapter")
    precondition(!isClosing || attempt?.result != nil, "an adapter goes after the pairing that is undone")
    precondition(attempt == nil || bonds.job == nil, "bonds are looked after between pairings")
    precondition(bonds.removals.count <= BusBonds.removalsMax, "removals have a bound")
    precondition(Set(bonds.removals).count == bonds.removals.count, "a bond is removed once")
    precondition(
      bonds.removals.allSatisfy { !bonds.stored.areGood(for: $0) }, "a bond that is removed is not kept")
    checkBus()
  }

  private func checkBus() {
    switch bus {
    case .closed:
      precondition(bonds.job == nil, "nothing is asked over a bus that is closed")
      precondition(attempt == nil || attempt?.step == .openingBus, "a pairing goes on over an open bus only")
    case .opening:
      precondition(deadline != nil, "the opening of the bus has a deadline")
      precondition(bonds.job == nil, "nothing is asked before the bus is open")
    case .open(isRunning: false):
      precondition(attempt == nil, "there is no pairing without bluetoothd")
    case .open(isRunning: true):
      precondition(attempt?.step != .openingBus, "a pairing goes on once the bus is open")
    }
  }
}
