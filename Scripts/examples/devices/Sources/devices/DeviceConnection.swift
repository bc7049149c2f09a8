// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

/// Connects to one device, and subscribes to every value that it notifies.
final class DeviceConnection: NSObject {
  /// One line for each thing that happens.
  private let report: (String) -> Void
  private let device: Device
  private var central: CBCentralManager!
  private var peripheral: CBPeripheral?

  init(to device: Device, report: @escaping (String) -> Void) {
    self.device = device
    self.report = report
    super.init()
    central = CBCentralManager(delegate: self, queue: .main)
  }

  deinit {
    guard let peripheral = peripheral else { return }
    central.cancelPeripheralConnection(peripheral)
  }
}

extension DeviceConnection: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn, peripheral == nil else { return }
    guard let found = central.retrievePeripherals(withIdentifiers: [device.id]).first else {
      return report("\(device.name) is not an accessory of this app")
    }
    peripheral = found
    found.delegate = self
    central.connect(found)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    report("connected: \(device.name)")
    peripheral.discoverServices(nil)
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?
  ) {
    report("not connected: \(error?.localizedDescription ?? "no reason")")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
  ) {
    report("disconnected: \(error?.localizedDescription ?? "by the app")")
    if error != nil { central.connect(peripheral) }
  }
}

extension DeviceConnection: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    if let error = error { report("no services: \(error.localizedDescription)") }
    for service in peripheral.services ?? [] {
      peripheral.discoverCharacteristics(nil, for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    for characteristic in service.characteristics ?? []
    where characteristic.properties.contains(.notify) {
      peripheral.setNotifyValue(true, for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    let result = error.map { " failed: \($0.localizedDescription)" } ?? ""
    report("subscribed to \(characteristic.uuid.uuidString)\(result)")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    let bytes = (characteristic.value ?? Data()).map { String(format: "%02x", $0) }.joined()
    report("\(device.name) sends \(bytes)")
  }
}
