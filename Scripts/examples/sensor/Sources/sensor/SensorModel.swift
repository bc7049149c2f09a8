// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
import CoreBluetooth

#if canImport(UIKit)
  import UIKit
#endif

/// A thermometer that the manager connects again by itself after each loss.
@MainActor
@Observable
final class SensorModel: NSObject {
  /// Environmental Sensing, and its temperature in hundredths of a degree.
  static let service = CBUUID(string: "181A")
  static let temperatureUUID = CBUUID(string: "2A6E")

  private(set) var degrees: Double?
  /// One line for each thing that happens. A screen may show it.
  @ObservationIgnored var report: (String) -> Void = { _ in }

  @ObservationIgnored private let session = ASAccessorySession()
  @ObservationIgnored private var identifier: UUID?
  @ObservationIgnored private var central: CBCentralManager?
  @ObservationIgnored private var peripheral: CBPeripheral?

  func start() {
    session.activate(on: .main) { [weak self] event in
      MainActor.assumeIsolated { self?.handle(event) }
    }
  }

  func add() {
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothServiceUUID = Self.service
    let item = ASPickerDisplayItem(
      name: "Thermometer", productImage: UIImage(systemName: "thermometer") ?? UIImage(),
      descriptor: descriptor)
    session.showPicker(for: [item]) { [weak self] error in
      Task { @MainActor in self?.report("picker: \(error?.localizedDescription ?? "done")") }
    }
  }

  private func handle(_ event: ASAccessoryEvent) {
    switch event.eventType {
    case .activated:
      report("activated: \(session.accessories.count) accessories")
      session.accessories.first.map(use)
    case .accessoryAdded: event.accessory.map(use)
    case .invalidated: report("invalidated: \(event.error?.localizedDescription ?? "by the app")")
    default: break
    }
  }

  private func use(_ accessory: ASAccessory) {
    identifier = accessory.bluetoothIdentifier
    if central == nil { central = CBCentralManager(delegate: self, queue: .main) }
  }
}

extension SensorModel: @preconcurrency CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn, peripheral == nil, let identifier else { return }
    peripheral = central.retrievePeripherals(withIdentifiers: [identifier]).first
    peripheral?.delegate = self
    guard let peripheral else { return }
    central.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    report("connected")
    peripheral.discoverServices([Self.service])
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    timestamp: CFAbsoluteTime, isReconnecting: Bool, error: (any Error)?
  ) {
    report("lost after \(Int(CFAbsoluteTimeGetCurrent() - timestamp)) s, reconnecting: \(isReconnecting)")
  }
}

extension SensorModel: @preconcurrency CBPeripheralDelegate {
  func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
    report("its name: \(peripheral.name ?? "none")")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] {
      peripheral.discoverCharacteristics([Self.temperatureUUID], for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    for characteristic in service.characteristics ?? [] {
      peripheral.setNotifyValue(true, for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    report(error.map { "no temperatures: \($0.localizedDescription)" } ?? "ready")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard let value = characteristic.value, value.count == 2 else { return }
    let hundredths = Int16(bitPattern: UInt16(value[0]) | UInt16(value[1]) << 8)
    degrees = Double(hundredths) / 100
    report("temperature: \(Double(hundredths) / 100)")
  }
}
