// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth

/// Scans, and lists what it finds. On a gateway, as on iOS in an app with accessories, these are the accessories that the
/// app has; an operator adds them.
final class ListDiscovery: NSObject, DeviceDiscovery {
  var onEvent: (DiscoveryEvent) -> Void = { _ in }

  private var central: CBCentralManager!
  private var devices: [UUID: Device] = [:]
  private var isReady = false
  private var isSearching = false

  func activate() {
    central = CBCentralManager(delegate: self, queue: .main)
  }

  func start() {
    isSearching = true
    guard central.state == .poweredOn, !central.isScanning else { return }
    // Not every model advertises its services.
    central.scanForPeripherals(withServices: nil)
  }

  func stop() {
    isSearching = false
    central.stopScan()
    onEvent(.ended(nil))
  }

  /// A list has no names of its own.
  func rename(_ device: Device) { onEvent(.ended(CBError(.operationNotSupported))) }

  func remove(_ device: Device) {
    guard let removed = devices.removeValue(forKey: device.id) else { return }
    onEvent(.lost(removed))
  }
}

extension ListDiscovery: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    if !isReady {
      isReady = true
      onEvent(.ready)
    }
    if isSearching { start() }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard devices[peripheral.identifier] == nil, let model = DeviceModel(advertisementData: advertisementData)
    else { return }
    let device = Device(id: peripheral.identifier, model: model, name: peripheral.name ?? model.name)
    devices[device.id] = device
    onEvent(.found(device))
  }
}
