// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
import CoreBluetooth

#if canImport(UIKit)
  import UIKit
#endif

/// A lock that the app confirms: it asks the lock over Bluetooth whether it is free, before the accessory is the app's.
@MainActor
@Observable
final class LockModel: NSObject {
  static let service = CBUUID(string: "A1B2C3D4-0001-4000-8000-00000010CC01")
  /// 0 while the lock is free.
  static let ownerUUID = CBUUID(string: "FF11")
  /// 1 when the bolt is out.
  static let boltUUID = CBUUID(string: "FF12")

  /// One line for each thing that happens. A screen may show it.
  @ObservationIgnored var report: (String) -> Void = { _ in }

  @ObservationIgnored private let session = ASAccessorySession()
  @ObservationIgnored private var accessory: ASAccessory?
  @ObservationIgnored private var central: CBCentralManager?
  @ObservationIgnored private var peripheral: CBPeripheral?
  @ObservationIgnored private var bolt: CBCharacteristic?

  func start() {
    session.activate(on: .main) { [weak self] event in
      MainActor.assumeIsolated { self?.handle(event) }
    }
  }

  // MARK: - What the user does

  func add() {
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothServiceUUID = Self.service
    let item = ASPickerDisplayItem(
      name: "Lock", productImage: UIImage(named: "lock") ?? UIImage(), descriptor: descriptor)
    item.setupOptions = .confirmAuthorization
    session.showPicker(for: [item]) { [weak self] error in
      Task { @MainActor in self?.report("picker: \(error?.localizedDescription ?? "done")") }
    }
  }

  func moveBolt(out: Bool) {
    guard let peripheral, let bolt else { return report("the lock is not connected") }
    peripheral.writeValue(Data([out ? 1 : 0]), for: bolt, type: .withResponse)
  }

  // MARK: - The session

  private func handle(_ event: ASAccessoryEvent) {
    switch event.eventType {
    case .activated:
      report("activated: \(session.accessories.count) accessories")
      session.accessories.first.map(use)
    case .accessoryAdded, .accessoryChanged:
      guard let changed = event.accessory else { return }
      report("\(event.eventType): \(changed.state)")
      use(changed)
    case .accessoryRemoved:
      report("accessoryRemoved")
      (accessory, central, peripheral, bolt) = (nil, nil, nil, nil)
    case .invalidated: report("invalidated: \(event.error?.localizedDescription ?? "by the app")")
    default: break
    }
  }

  private func use(_ accessory: ASAccessory) {
    self.accessory = accessory
    if central == nil { central = CBCentralManager(delegate: self, queue: .main) }
  }

  /// Decides with what the lock has said.
  private func decide(isFree: Bool) {
    guard let accessory, accessory.state == .awaitingAuthorization else { return }
    report("the lock is \(isFree ? "free" : "taken")")
    let completion: @Sendable ((any Error)?) -> Void = { [weak self] error in
      Task { @MainActor in self?.report("decided: \(error?.localizedDescription ?? "done")") }
    }
    if isFree {
      session.finishAuthorization(for: accessory, settings: .default, completionHandler: completion)
    } else {
      session.failAuthorization(for: accessory, completionHandler: completion)
    }
  }
}

// MARK: - Connecting

extension LockModel: @preconcurrency CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central === self.central, central.state == .poweredOn, peripheral == nil,
      let identifier = accessory?.bluetoothIdentifier
    else { return }
    peripheral = central.retrievePeripherals(withIdentifiers: [identifier]).first
    peripheral?.delegate = self
    if let peripheral { central.connect(peripheral) }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    report("connected")
    peripheral.discoverServices([Self.service])
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    report("not connected: \(error?.localizedDescription ?? "no reason")")
  }
}

// MARK: - Talking to the lock

extension LockModel: @preconcurrency CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else {
      return report("the accessory is no lock: \(error?.localizedDescription ?? "the service is missing")")
    }
    peripheral.discoverCharacteristics([Self.ownerUUID, Self.boltUUID], for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    for characteristic in service.characteristics ?? [] {
      if characteristic.uuid == Self.boltUUID { bolt = characteristic }
      peripheral.readValue(for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard let value = characteristic.value?.first, error == nil else {
      return report("no value: \(error?.localizedDescription ?? "it is empty")")
    }
    switch characteristic.uuid {
    case Self.ownerUUID: decide(isFree: value == 0)
    case Self.boltUUID: report("the bolt is \(value == 1 ? "out" : "in")")
    default: break
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard error == nil else { return report("not moved: \(error?.localizedDescription ?? "")") }
    peripheral.readValue(for: characteristic)
  }
}
