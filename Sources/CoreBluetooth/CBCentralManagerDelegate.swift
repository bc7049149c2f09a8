// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// What a central manager reports, on its queue. Every method but ``centralManagerDidUpdateState(_:)`` may be left out.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
  /// The state has changed; called once for the first state too.
  func centralManagerDidUpdateState(_ central: CBCentralManager)

  /// Never called: a gateway does not terminate apps to start them again.
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

  /// A scan has received one of the app's accessories.
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber)

  /// The peripheral is connected.
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

  /// The peripheral cannot be connected to, and trying again is useless.
  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

  /// `error` is nil after ``CBCentralManager/cancelPeripheralConnection(_:)``.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

  /// Called instead of the method without a time, if it is there. `isReconnecting` says that the manager already
  /// connects again, because of ``CBConnectPeripheralOptionEnableAutoReconnect``.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?)
}

extension CBCentralManagerDelegate {
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {}

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}

  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {}

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {}

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?
  ) {
    centralManager(central, didDisconnectPeripheral: peripheral, error: error)
  }
}
