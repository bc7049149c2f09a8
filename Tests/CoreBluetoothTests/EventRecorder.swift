// SPDX-License-Identifier: GPL-3.0-or-later
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import AccessorySetupKit
import CoreBluetooth
import Dispatch
import Foundation

/// A delegate of everything, which writes down each call as a line. It checks that each call comes on the queue.
final class EventRecorder: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  let queue = DispatchQueue(label: "app")
  private var iterator: AsyncStream<String>.Iterator
  private let continuation: AsyncStream<String>.Continuation

  override init() {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    iterator = stream.makeAsyncIterator()
    self.continuation = continuation
  }

  /// The next line; waits for it.
  func next() async -> String { await iterator.next(isolation: #isolation) ?? "" }

  private func record(_ line: String, _ error: (any Error)? = nil) {
    dispatchPrecondition(condition: .onQueue(queue))
    let code = error.map { " \(($0 as NSError).domain) \(($0 as NSError).code)" } ?? ""
    continuation.yield(line + code)
  }

  private func hex(_ data: Data?) -> String {
    data.map { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() } ?? "nil"
  }

  // MARK: CBCentralManagerDelegate

  func centralManagerDidUpdateState(_ central: CBCentralManager) { record("state \(central.state)") }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "nil"
    record("discovered \(peripheral.name ?? "nil") as \(name) at \(RSSI)")
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    record("connected \(peripheral.state)")
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) { record("failed \(peripheral.state)", error) }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { record("disconnected \(peripheral.state)", error) }

  // MARK: CBPeripheralDelegate

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { record("name \(peripheral.name ?? "nil")") }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    record("modified \(invalidatedServices.map(\.uuid.uuidString))")
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    record("rssi \(RSSI)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    record("services \((peripheral.services ?? []).map(\.uuid.uuidString))", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) { record("included \((service.includedServices ?? []).map(\.uuid.uuidString))", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { record("characteristics \((service.characteristics ?? []).map(\.uuid.uuidString))", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { record("value \(characteristic.uuid) \(hex(characteristic.value))", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { record("wrote \(characteristic.uuid)", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) { record("notifying \(characteristic.isNotifying)", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) { record("descriptors \((characteristic.descriptors ?? []).map(\.uuid.uuidString))", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) { record("descriptor \(descriptor.uuid) \(descriptor.value ?? "nil")", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) { record("wrote descriptor \(descriptor.uuid)", error) }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { record("ready") }

  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
    record("sounding", error)
  }
}
