// SPDX-License-Identifier: Apache-2.0

import Foundation
import GATT
import Synchronization

/// What the engine changes. All of it runs on the manager's queue, right before the delegate is called.
extension CBPeripheral {
  func setState(_ state: CBPeripheralState) { contents.withLock { $0.state = state } }

  /// Changes the state at once, for a call of the app. Returns whether it was one of `states`.
  func setState(_ state: CBPeripheralState, from states: [CBPeripheralState]) -> Bool {
    contents.withLock { contents in
      guard states.contains(contents.state) else { return false }
      contents.state = state
      return true
    }
  }

  func updateName(_ name: String) {
    let isNew = contents.withLock { contents in
      defer { contents.name = name }
      return contents.name != name
    }
    if isNew { delegate?.peripheralDidUpdateName(self) }
  }

  /// Adds discovered services, and returns them. A service that is known already stays the same object, with its
  /// characteristics. When the list is complete, other services are dropped.
  @discardableResult
  func addServices(_ found: [GATTService], isComplete: Bool) -> [CBService] {
    let known = services ?? []
    let added = found.map { new in known.first { $0.service == new } ?? CBService(new, of: self) }
    let others = isComplete ? [] : known.filter { old in !found.contains(old.service) }
    let all = (added + others).sorted { $0.service.range.start < $1.service.range.start }
    contents.withLock { $0.services = all }
    return added
  }

  /// Forgets all services: their handles may belong to other attributes in the next connection.
  func forgetServices() {
    let services = contents.withLock { contents in
      defer { contents.services = nil }
      return contents.services ?? []
    }
    services.forEach { $0.invalidate() }
    for characteristic in services.flatMap({ $0.characteristics ?? [] }) {
      characteristic.setNotifying(false)
    }
  }

  /// Drops the services in a range that the peripheral says has changed.
  func dropServices(in range: HandleRange) {
    let dropped = (services ?? []).filter { $0.service.range.overlaps(range) }
    dropped.forEach { $0.invalidate() }
    contents.withLock { contents in contents.services?.removeAll { !$0.isValid } }
    delegate?.peripheral(self, didModifyServices: dropped)
  }

  /// A value that the peripheral sent by itself. It is lost when its characteristic was not discovered.
  func receive(_ handle: UInt16, _ value: [UInt8]) {
    for service in services ?? [] where service.service.range.contains(handle) {
      for characteristic in service.characteristics ?? []
      where characteristic.characteristic.valueHandle == handle {
        characteristic.setValue(value)
        delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
        return
      }
    }
  }
}
