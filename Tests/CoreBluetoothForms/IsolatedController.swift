// SPDX-License-Identifier: GPL-3.0-or-later
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth

/// The same for an app whose delegate belongs to the main actor, and which waits for connections.
@MainActor
final class IsolatedController: NSObject {
  private var manager: CBCentralManager?
  private var connection: CheckedContinuation<Void, Error>?
  private var found: [UUID: CBPeripheral] = [:]

  func start() {
    manager = CBCentralManager(
      delegate: self, queue: .main, options: [CBCentralManagerOptionRestoreIdentifierKey: "dice"])
    manager?.scanForPeripherals(
      withServices: [DiceController.diceService],
      options: [CBCentralManagerScanOptionAllowDuplicatesKey: false])
  }

  func connect(_ peripheral: CBPeripheral) async throws {
    try await withCheckedThrowingContinuation { continuation in
      connection = continuation
      manager?.connect(peripheral)
    }
  }
}

extension IsolatedController: @preconcurrency CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if CBCentralManager.authorization == .denied { manager = nil }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
    guard services.contains(DiceController.diceService), RSSI.intValue > -90 else { return }
    found[peripheral.identifier] = peripheral
  }

  nonisolated func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    Task { @MainActor in
      connection?.resume()
      connection = nil
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    timestamp: CFAbsoluteTime, isReconnecting: Bool, error: Error?
  ) {
    guard !isReconnecting else { return }
    found[peripheral.identifier] = nil
  }
}
