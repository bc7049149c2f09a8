// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import GATT
import Glibc

/// Making and ending connections.
extension CentralEngine {
  func connect(_ peripheral: CBPeripheral, startDelay: Double, isReconnecting: Bool) {
    guard peripheral.engine === self else {
      return deliver { manager in
        manager.delegate?.centralManager(
          manager, didFailToConnect: peripheral, error: CBError.foreignPeripheral)
      }
    }
    _ = peripheral.setState(.connecting, from: [.disconnected])
    queue.async { [self] in
      guard !isStopped else { return }
      let record = record(peripheral.identifier)
      record.peripheral = peripheral
      record.isReconnecting = isReconnecting
      switch record.phase {
      case .waiting, .connecting, .starting: break
      case .connected: deliver { $0.delegate?.centralManager($0, didConnect: peripheral) }
      case .disconnected:
        record.retryDelay = PeripheralRecord.retryDelayMin
        startDelay > 0 ? retry(record, after: startDelay) : attempt(record)
      }
    }
  }

  func cancel(_ peripheral: CBPeripheral) {
    guard peripheral.engine === self else { return }
    _ = peripheral.setState(.disconnecting, from: [.connecting, .connected])
    queue.async { [self] in
      guard let record = knownRecord(peripheral.identifier) else { return }
      if case .disconnected = record.phase { return }
      drop(record)
      reportEnd(of: peripheral, isReconnecting: false, error: nil)
    }
  }

  /// Ends whatever goes on, without a report of it; operations that wait fail. Runs on ``queue``.
  func drop(_ record: PeripheralRecord) {
    let phase = record.phase
    record.enter(.disconnected)
    switch phase {
    case .disconnected, .waiting: break
    case .connecting(let connection): connection.cancel()
    case .starting(let link), .connected(let link): link.close()
    }
  }

  /// The app may not use the peripheral any more, or never could. Runs on ``queue``.
  func fail(_ record: PeripheralRecord, _ error: any Error) {
    let phase = record.phase
    drop(record)
    guard let peripheral = record.peripheral else { return }
    switch phase {
    case .disconnected: break
    case .connected: reportEnd(of: peripheral, isReconnecting: false, error: error)
    case .waiting, .connecting, .starting:
      deliver { manager in
        peripheral.setState(.disconnected)
        manager.delegate?.centralManager(manager, didFailToConnect: peripheral, error: error)
      }
    }
  }

  // MARK: Attempts

  private func attempt(_ record: PeripheralRecord) {
    // The connection's completion comes in a later turn of the queue.
    let turn = record.turn + 1
    let connection = source.connect(to: record.identifier) { [weak self, weak record] result in
      guard let self, let record, record.turn == turn, !isStopped else {
        if case .success(let descriptor) = result { close(descriptor) }
        return
      }
      finishAttempt(record, result)
    }
    record.enter(.connecting(connection))
    if !isKnown(record.identifier) { fail(record, CBError.forgottenPeripheral) }
  }

  private func finishAttempt(_ record: PeripheralRecord, _ result: Result<Int32, ConnectionRefusedError>) {
    switch result {
    case .success(let descriptor):
      let link = ATTLink(owning: descriptor, queue: queue) { [weak self, weak record] action in
        if let self, let record { performAction(action, record) }
      }
      guard let link else { return retry(record, after: record.nextRetryDelay()) }
      record.enter(.starting(link))
      link.start()
    case .failure(let refusal) where refusal.isTemporary: retry(record, after: record.nextRetryDelay())
    case .failure(let refusal): fail(record, refusal.error)
    }
  }

  private func retry(_ record: PeripheralRecord, after delay: Double) {
    record.enter(.waiting)
    let turn = record.turn
    queue.asyncAfter(deadline: .now() + delay) { [weak self, weak record] in
      guard let self, let record, record.turn == turn, !isStopped else { return }
      attempt(record)
    }
  }

  // MARK: Links

  private func performAction(_ action: GATTAction, _ record: PeripheralRecord) {
    if case .complete(let id, let result) = action { return record.complete(id, result) }
    guard let peripheral = record.peripheral else { return }
    switch (action, record.phase) {
    case (.ready, .starting(let link)):
      record.enter(.connected(link))
      record.retryDelay = PeripheralRecord.retryDelayMin
      deliver { manager in
        peripheral.forgetServices()
        peripheral.setState(.connected)
        manager.delegate?.centralManager(manager, didConnect: peripheral)
      }
      readName(record, link)
    case (.receive(let handle, let value), .connected): deliver { _ in peripheral.receive(handle, value) }
    case (.commandsFit, .connected):
      deliver { _ in peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral) }
    case (.servicesChanged(let range), .connected): deliver { _ in peripheral.dropServices(in: range) }
    // A link that ends before the app knows about it is one more attempt.
    case (.close, .starting): retry(record, after: record.nextRetryDelay())
    case (.close(let error), .connected(let link)): endConnection(record, link, error)
    // The engine closed the link itself.
    case (.close, _), (.ready, _), (.receive, _), (.commandsFit, _), (.servicesChanged, _), (.complete, _):
      break
    }
  }

  /// Asks the peripheral for the name that it gives itself. One that has none keeps its name.
  private func readName(_ record: PeripheralRecord, _ link: ATTLink) {
    record.beginOperation(.readFirst(.deviceName), on: link) { [weak self, weak record] result in
      guard let self, let record, case .success(.value(let bytes)) = result else { return }
      let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      if !name.isEmpty { setOwnName(name, of: record) }
    }
  }

  private func endConnection(_ record: PeripheralRecord, _ link: ATTLink, _ error: GATTError) {
    let isReconnecting = record.isReconnecting
    record.enter(.disconnected)
    guard let peripheral = record.peripheral else { return }
    let appError = link.endingError == ETIMEDOUT ? GATTError.timedOut.appError : error.appError
    reportEnd(of: peripheral, isReconnecting: isReconnecting, error: appError)
    if isReconnecting { retry(record, after: record.nextRetryDelay()) }
  }

  private func reportEnd(of peripheral: CBPeripheral, isReconnecting: Bool, error: (any Error)?) {
    let time = Date().timeIntervalSinceReferenceDate
    deliver { manager in
      peripheral.setState(isReconnecting ? .connecting : .disconnected)
      peripheral.forgetServices()
      manager.delegate?.centralManager(
        manager, didDisconnectPeripheral: peripheral, timestamp: time, isReconnecting: isReconnecting,
        error: error)
    }
  }
}
