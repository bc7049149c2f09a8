// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
import Dispatch
import Foundation
import GATT

/// What a central manager does, on a serial queue of its own. Whatever the app receives goes to the app's queue, in
/// order.
///
/// Methods that an app's call leads to may be called on any thread; they do their work on ``queue``. The others say
/// that they run on it. Nothing on ``queue`` waits for the app.
final class CentralEngine: @unchecked Sendable {
  let queue = DispatchQueue(label: "CoreBluetooth")
  private let appQueue: DispatchQueue
  let source: any PeripheralSource
  private weak var manager: CBCentralManager?
  private var records: [UUID: PeripheralRecord] = [:]
  /// The names of the app's accessories; nil until the agent has listed them.
  private var accessories: [UUID: String]?
  private var radio = CBManagerState.unknown
  private var scan: CentralScan?
  private(set) var isStopped = false

  init(appQueue: DispatchQueue, source: any PeripheralSource) {
    self.appQueue = appQueue
    self.source = source
  }

  func start(_ manager: CBCentralManager) {
    self.manager = manager
    queue.async { [self] in
      source.start(on: queue) { [weak self] event in self?.receive(event) }
    }
  }

  /// Ends everything. Nothing is reported afterwards.
  func stop() {
    queue.async { [self] in
      isStopped = true
      for record in records.values {
        drop(record)
        record.peripheral?.setState(.disconnected)
      }
      records = [:]
      source.stop()
    }
  }

  /// Runs `body` on the app's queue, unless the manager is gone by then.
  func deliver(_ body: @escaping @Sendable (CBCentralManager) -> Void) {
    appQueue.async { [weak manager] in
      if let manager { body(manager) }
    }
  }

  // MARK: Events

  /// Runs on ``queue``.
  private func receive(_ event: SourceEvent) {
    guard !isStopped else { return }
    switch event {
    case .radio(let state): radio = state
    case .accessories(let names):
      accessories = names
      for record in records.values { updateAccessory(record, name: names[record.identifier]) }
    case .advertisement(let advertisement): return report(advertisement)
    }
    let state = state
    deliver { manager in
      if manager.setState(state) { manager.delegate?.centralManagerDidUpdateState(manager) }
    }
  }

  private var state: CBManagerState {
    guard let accessories, radio == .poweredOn else { return radio == .poweredOn ? .unknown : radio }
    return accessories.isEmpty ? .poweredOff : .poweredOn
  }

  private func updateAccessory(_ record: PeripheralRecord, name: String?) {
    guard let name else { return fail(record, CBError.forgottenPeripheral) }
    guard record.ownName == nil, let peripheral = record.peripheral else { return }
    deliver { _ in peripheral.updateName(name) }
  }

  /// Runs on ``queue``.
  func setOwnName(_ name: String, of record: PeripheralRecord) {
    guard name != record.ownName else { return }
    record.ownName = name
    guard let peripheral = record.peripheral else { return }
    deliver { _ in peripheral.updateName(name) }
  }

  // MARK: Peripherals

  func peripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    queue.sync {
      identifiers.compactMap { accessories?[$0] == nil && accessories != nil ? nil : peripheral($0) }
    }
  }

  func connectedPeripherals() -> [CBPeripheral] {
    queue.sync { records.values.compactMap { $0.link == nil ? nil : $0.peripheral } }
  }

  /// The app's object for a peripheral, or a new one. Runs on ``queue``.
  private func peripheral(_ identifier: UUID) -> CBPeripheral {
    let record = record(identifier)
    if let peripheral = record.peripheral { return peripheral }
    let name = record.ownName ?? accessories?[identifier]
    let peripheral = CBPeripheral(identifier: identifier, name: name, engine: self)
    record.peripheral = peripheral
    return peripheral
  }

  /// Runs on ``queue``.
  func knownRecord(_ identifier: UUID) -> PeripheralRecord? { records[identifier] }

  /// Runs on ``queue``.
  func record(_ identifier: UUID) -> PeripheralRecord {
    if let record = records[identifier] { return record }
    let record = PeripheralRecord(identifier: identifier)
    records[identifier] = record
    return record
  }

  /// The app let go of a peripheral. It may have got another object for the same one since.
  func peripheralWasReleased(_ identifier: UUID) {
    queue.async { [self] in
      guard let record = records[identifier], record.peripheral == nil else { return }
      records[identifier] = nil
      drop(record)
    }
  }

  /// Whether the app may use a peripheral, as far as the agent has listed its accessories. Runs on ``queue``.
  func isKnown(_ identifier: UUID) -> Bool { accessories.map { $0[identifier] != nil } ?? true }

  // MARK: Scanning

  var isScanning: Bool { queue.sync { scan != nil } }

  func startScan(_ scan: CentralScan) {
    queue.async { [self] in
      guard !isStopped else { return }
      self.scan = scan
      source.setScanning(scan.reportsDuplicates ? .readings : .changes)
    }
  }

  func stopScan() {
    queue.async { [self] in
      guard scan != nil, !isStopped else { return }
      scan = nil
      source.setScanning(.off)
    }
  }

  private func report(_ advertisement: SourceAdvertisement) {
    guard isKnown(advertisement.identifier), scan?.reports(advertisement) ?? false else { return }
    let peripheral = peripheral(advertisement.identifier)
    let record = record(advertisement.identifier)
    if record.ownName == nil, let name = advertisement.name { setOwnName(name, of: record) }
    deliver { manager in
      manager.delegate?.centralManager(
        manager, didDiscover: peripheral, advertisementData: advertisement.data(),
        rssi: NSNumber(value: advertisement.rssi))
    }
  }
}
