// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import CoreBluetooth

/// Connects to the accessory of its app, explores it, and connects again after a loss. On the main queue.
final class LinkProbe: NSObject {
  private let session = ASAccessorySession()
  private var central: CBCentralManager?
  private var peripheral: CBPeripheral?
  /// Services whose characteristics are not known yet.
  private var unexploredCount = 0

  func start() {
    session.activate(on: .main) { [weak self] event in self?.handle(event) }
  }

  func report(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  func read(_ uuid: String) { withCharacteristic(uuid) { $0.readValue(for: $1) } }

  func write(_ uuid: String, _ count: Int) {
    let value = Data((0..<count).map { UInt8($0 & 0xFF) })
    withCharacteristic(uuid) { $0.writeValue(value, for: $1, type: .withResponse) }
  }

  func subscribe(_ uuid: String) { withCharacteristic(uuid) { $0.setNotifyValue(true, for: $1) } }

  private func withCharacteristic(_ uuid: String, _ body: (CBPeripheral, CBCharacteristic) -> Void) {
    let characteristics = (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }
    guard let peripheral = peripheral,
      let found = characteristics.first(where: { $0.uuid.uuidString == uuid })
    else { return report("there is no characteristic \(uuid)") }
    body(peripheral, found)
  }

  private func handle(_ event: ASAccessoryEvent) {
    guard event.eventType == .activated, central == nil else { return }
    report("activated: \(session.accessories.count) accessories")
    central = CBCentralManager(delegate: self, queue: .main)
  }
}

extension LinkProbe: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    let identifiers = session.accessories.compactMap(\.bluetoothIdentifier)
    guard central.state == .poweredOn, peripheral == nil,
      let found = central.retrievePeripherals(withIdentifiers: identifiers).first
    else { return }
    peripheral = found
    found.delegate = self
    central.connect(found)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    report("connected")
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
    central.connect(peripheral)
  }
}

extension LinkProbe: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    let services = peripheral.services ?? []
    report("services: \(error?.localizedDescription ?? "\(services.count)")")
    unexploredCount = services.count
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    // The order is the server's, and BlueZ's is any.
    let uuids = (service.characteristics ?? []).map(\.uuid.uuidString).sorted()
    report("service \(service.uuid.uuidString): \(uuids.joined(separator: " "))")
    unexploredCount -= 1
    guard unexploredCount == 0 else { return }
    report("explored: \(peripheral.maximumWriteValueLength(for: .withoutResponse)) bytes fit")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    report("subscribed to \(characteristic.uuid.uuidString): \(error?.localizedDescription ?? "done")")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    let bytes = (characteristic.value ?? Data()).map { String(format: "%02x", $0) }.joined()
    let result = error.map { "failed, \($0.localizedDescription)" } ?? bytes
    report("value \(characteristic.uuid.uuidString): \(result)")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    report("written \(characteristic.uuid.uuidString): \(error?.localizedDescription ?? "done")")
  }
}
