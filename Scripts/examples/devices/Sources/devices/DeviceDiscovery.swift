// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a discovery reports.
enum DiscoveryEvent {
  /// The user's devices are known from here on.
  case ready
  case found(Device)
  case changed(Device)
  case lost(Device)
  /// The search is over: the user is done, or it failed.
  case ended((any Error)?)
}

/// Finds the user's devices. The device manager does not know which of the two implementations it has.
protocol DeviceDiscovery: AnyObject {
  /// Called on the main queue.
  var onEvent: (DiscoveryEvent) -> Void { get set }

  /// Reports the devices that are known.
  func activate()
  /// Searches for more devices.
  func start()
  /// Gives the search up.
  func stop()
  /// Asks the user for a new name.
  func rename(_ device: Device)
  /// Forgets a device.
  func remove(_ device: Device)
}
