// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
import CoreBluetooth
import Foundation

#if canImport(UIKit)
  import UIKit
#endif

/// The app's dice: set up with AccessorySetupKit, and then used with CoreBluetooth.
@MainActor
@Observable
final class DiceModel: NSObject {
  static let diceService = CBUUID(string: "12345678-1234-1234-1234-123456789ABC")
  static let rollUUID = CBUUID(string: "12345679-1234-1234-1234-123456789ABC")
  static let sidesUUID = CBUUID(string: "FF01")

  private(set) var accessory: ASAccessory?
  private(set) var isConnected = false
  private(set) var lastRoll: UInt8?
  /// One line for each thing that happens. A screen may show it.
  @ObservationIgnored var report: (String) -> Void = { _ in }

  @ObservationIgnored private let session = ASAccessorySession()
  /// There is none before the app has an accessory: on iOS it would ask for a right that the app does not need.
  @ObservationIgnored private var central: CBCentralManager?
  @ObservationIgnored private var peripheral: CBPeripheral?
  @ObservationIgnored private var sides: CBCharacteristic?
  /// The user disconnected: the dice are not connected again by themselves.
  @ObservationIgnored private var isPaused = false

  func start() {
    session.activate(on: .main) { [weak self] event in
      MainActor.assumeIsolated { self?.handle(event) }
    }
  }

  // MARK: - What the user does

  /// `paired`: the dice have to be paired, and what they send is encrypted.
  func add(paired: Bool = false) {
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothServiceUUID = Self.diceService
    if paired { descriptor.supportedOptions = .bluetoothPairingLE }
    let item = ASPickerDisplayItem(
      name: "Dice", productImage: UIImage(named: "dice") ?? UIImage(), descriptor: descriptor)
    session.showPicker(for: [item]) { [weak self] error in
      Task { @MainActor in self?.note("picker", error) }
    }
  }

  func remove() {
    guard let accessory else { return report("there are no dice") }
    session.removeAccessory(accessory) { [weak self] error in
      Task { @MainActor in self?.note("remove", error) }
    }
  }

  func setSides(_ count: UInt8) {
    guard let peripheral, let sides else { return report("the dice are not connected") }
    peripheral.writeValue(Data([count]), for: sides, type: .withResponse)
  }

  func connect() {
    guard let central, let peripheral else { return report("there are no dice") }
    isPaused = false
    guard central.state == .poweredOn else { return }
    central.connect(peripheral)
  }

  func disconnect() {
    guard let central, let peripheral else { return report("there are no dice") }
    isPaused = true
    central.cancelPeripheralConnection(peripheral)
  }

  private func note(_ call: String, _ error: (any Error)?) {
    report("\(call): \(error?.localizedDescription ?? "done")")
  }

  // MARK: - The session

  private func handle(_ event: ASAccessoryEvent) {
    switch event.eventType {
    case .activated:
      report("activated: \(session.accessories.count) accessories")
      if let known = session.accessories.first { use(known) }
    case .accessoryAdded:
      guard let added = event.accessory else { return }
      report("accessoryAdded: \(added.displayName)")
      use(added)
    case .accessoryChanged:
      guard let changed = event.accessory, isOwn(changed) else { return }
      report("accessoryChanged: \(changed.displayName)")
      accessory = changed
    case .accessoryRemoved:
      guard let removed = event.accessory, isOwn(removed) else { return }
      report("accessoryRemoved: \(removed.displayName)")
      forget()
    case .pickerSetupFailed: report("pickerSetupFailed: \(event.error?.localizedDescription ?? "")")
    case .invalidated: report("invalidated: \(event.error?.localizedDescription ?? "by the app")")
    default: report("\(event.eventType)")
    }
  }

  private func isOwn(_ other: ASAccessory) -> Bool {
    other.bluetoothIdentifier == accessory?.bluetoothIdentifier
  }

  private func use(_ accessory: ASAccessory) {
    self.accessory = accessory
    isPaused = false
    guard let central else {
      central = CBCentralManager(delegate: self, queue: .main)
      return
    }
    retrieve(from: central)
  }

  /// Lets go of the accessory, and of everything that was made for it.
  private func forget() {
    accessory = nil
    central = nil
    disconnected()
    peripheral = nil
  }

  private func disconnected() {
    isConnected = false
    sides = nil
  }
}

// MARK: - Connecting

extension DiceModel: @preconcurrency CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central === self.central else { return }
    switch central.state {
    case .poweredOn: retrieve(from: central)
    case .poweredOff: report("Bluetooth is off")
    case .unknown, .resetting, .unsupported, .unauthorized: disconnected()
    @unknown default: break
    }
  }

  private func retrieve(from central: CBCentralManager) {
    guard central.state == .poweredOn, let identifier = accessory?.bluetoothIdentifier else { return }
    peripheral = central.retrievePeripherals(withIdentifiers: [identifier]).first
    peripheral?.delegate = self
    if !isPaused { connect() }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    isConnected = true
    report("connected: \(peripheral.name ?? "")")
    peripheral.discoverServices([Self.diceService])
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    report("not connected: \(error?.localizedDescription ?? "no reason")")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    guard central === self.central else { return }
    disconnected()
    report("disconnected: \(error?.localizedDescription ?? "by the app")")
    if error != nil, !isPaused { connect() }
  }
}

// MARK: - Talking to the dice

extension DiceModel: @preconcurrency CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first(where: { $0.uuid == Self.diceService }) else {
      return report("the accessory has no dice: \(error?.localizedDescription ?? "the service is missing")")
    }
    peripheral.discoverCharacteristics([Self.rollUUID, Self.sidesUUID], for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    for characteristic in service.characteristics ?? [] {
      switch characteristic.uuid {
      case Self.rollUUID: peripheral.setNotifyValue(true, for: characteristic)
      case Self.sidesUUID:
        sides = characteristic
        peripheral.readValue(for: characteristic)
      default: break
      }
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    report(error.map { "no rolls: \($0.localizedDescription)" } ?? "ready")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard let value = characteristic.value?.first, error == nil else {
      return report("no value: \(error?.localizedDescription ?? "it is empty")")
    }
    switch characteristic.uuid {
    case Self.rollUUID:
      lastRoll = value
      report("rolled: \(value)")
    case Self.sidesUUID: report("sides: \(value)")
    default: break
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard error == nil else { return report("not written: \(error?.localizedDescription ?? "")") }
    peripheral.readValue(for: characteristic)
  }
}
