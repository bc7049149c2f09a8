// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import CoreBluetooth

/// An iOS app's code in Swift 5 mode, as it is written there: a manager on the main queue, implicitly unwrapped
/// properties, delegates with some of the methods, errors by name.
@Observable
class DiceController: NSObject {
  static let diceService = CBUUID(string: "12345678-1234-1234-1234-123456789ABC")
  static let rollCharacteristic = CBUUID(string: "12345679-1234-1234-1234-123456789ABC")

  var session = ASAccessorySession()
  var manager: CBCentralManager!
  var identifier: UUID?
  var peripheral: CBPeripheral?
  var rollCharacteristic: CBCharacteristic?
  var rollResult: Int?
  var isConnected = false

  func handleAccessoryAdded(_ accessory: ASAccessory) {
    identifier = accessory.bluetoothIdentifier
    if manager == nil { manager = CBCentralManager(delegate: self, queue: nil) }
  }

  func connect() {
    guard let manager, manager.state == .poweredOn, let peripheral else { return }
    let options: [String: Any] = [
      CBConnectPeripheralOptionNotifyOnConnectionKey: true,
      CBConnectPeripheralOptionNotifyOnDisconnectionKey: true,
    ]
    manager.connect(peripheral, options: options)
  }

  func disconnect() {
    guard let peripheral, let manager else { return }
    manager.cancelPeripheralConnection(peripheral)
  }

  func setSides(_ sides: UInt8) {
    guard let characteristic = rollCharacteristic else { return }
    let type: CBCharacteristicWriteType =
      characteristic.properties.contains(.writeWithoutResponse) ? .withoutResponse : .withResponse
    peripheral?.writeValue(Data([sides]), for: characteristic, type: type)
  }
}

extension DiceController: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn:
      guard let identifier = identifier ?? session.accessories.first?.bluetoothIdentifier else { return }
      peripheral = central.retrievePeripherals(withIdentifiers: [identifier]).first
      peripheral?.delegate = self
      connect()
    case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff: peripheral = nil
    @unknown default: break
    }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    isConnected = true
    peripheral.discoverServices([Self.diceService])
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
  ) {
    isConnected = false
    if let error = error as? CBError, error.code == .connectionTimeout { connect() }
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
    print("failed: \(error?.localizedDescription ?? "no reason"), \((error as NSError?)?.code ?? 0)")
  }
}

extension DiceController: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    guard error == nil, let services = peripheral.services else { return }
    for service in services where service.uuid == Self.diceService {
      peripheral.discoverCharacteristics([Self.rollCharacteristic], for: service)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?)
  {
    for characteristic in service.characteristics ?? [] where characteristic.uuid == Self.rollCharacteristic {
      rollCharacteristic = characteristic
      peripheral.setNotifyValue(true, for: characteristic)
      peripheral.readValue(for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    if let error = error as? CBATTError, error.code == .insufficientEncryption { return }
    guard let data = characteristic.value, let roll = data.first else { return }
    rollResult = Int(roll)
  }
}
