// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
import Dispatch
import Foundation

/// The app's accessories, by way of a session with the agent that belongs to one central manager.
final class SessionSource: PeripheralSource, @unchecked Sendable {
  private let session: ASAccessorySession
  private var receive: @Sendable (SourceEvent) -> Void = { _ in }
  /// The queue of ``start(on:receive:)``, on which everything below changes.
  private var queue = DispatchQueue.main
  private var accessories: [UUID: ASAccessory] = [:]
  private var isActivated = false
  private var isRadioKnown = false
  private var scan: Task<Void, Never>?

  init(session: ASAccessorySession = ASAccessorySession()) { self.session = session }

  func start(on queue: DispatchQueue, receive: @escaping @Sendable (SourceEvent) -> Void) {
    self.queue = queue
    self.receive = receive
    session.radioStateHandler = { [weak self] _ in self?.reportRadio() }
    session.activate(on: queue) { [weak self] event in self?.receive(event) }
  }

  func stop() {
    scan?.cancel()
    session.invalidate()
  }

  // MARK: Events

  private func receive(_ event: ASAccessoryEvent) {
    switch event.eventType {
    case .activated:
      isActivated = true
      reportRadio()
      reportAccessories(session.accessories)
    case .accessoryAdded, .accessoryChanged, .accessoryRemoved: reportAccessories(session.accessories)
    case .invalidated:
      isActivated = false
      receive(.radio(.unauthorized))
      reportAccessories([])
    default: break
    }
  }

  private func reportAccessories(_ all: [ASAccessory]) {
    let usable = all.filter { $0.state == .authorized }
      .compactMap { accessory in accessory.bluetoothIdentifier.map { ($0, accessory) } }
    accessories = Dictionary(usable) { first, _ in first }
    receive(.accessories(accessories.mapValues(\.displayName)))
  }

  /// An agent that never says how its radio is counts as one whose radio is on.
  private func reportRadio() {
    let radio = session.radioState
    if radio != .unknown { isRadioKnown = true }
    guard isActivated else { return }
    let state: CBManagerState =
      switch radio {
      case .on: .poweredOn
      case .off: .poweredOff
      case .recovering: .resetting
      case .absent: .unsupported
      case .unknown: isRadioKnown ? .resetting : .poweredOn
      @unknown default: .unknown
      }
    receive(.radio(state))
  }

  // MARK: Connections

  func connect(
    to identifier: UUID, completion: @escaping @Sendable (Result<Int32, ConnectionRefusedError>) -> Void
  ) -> any PendingConnection {
    guard let accessory = accessories[identifier] else {
      // Until the accessories are known, this is one attempt of many.
      let error = ConnectionRefusedError(CBError.forgottenPeripheral, isTemporary: !isActivated)
      queue.async { completion(.failure(error)) }
      return RefusedConnection()
    }
    return session.connect(to: accessory) { result in
      completion(result.mapError { ConnectionRefusedError($0) })
    }
  }

  func readRSSI(of identifier: UUID, completion: @escaping @Sendable (Result<Int, CBError>) -> Void) {
    guard let accessory = accessories[identifier] else {
      return queue.async { completion(.failure(CBError.forgottenPeripheral)) }
    }
    session.readRSSI(of: accessory) { result in completion(result.mapError { CBError($0) }) }
  }

  // MARK: Scanning

  /// Seconds between two readings of one accessory.
  private static let readingInterval = 0.5

  func setScanning(_ mode: ScanMode) {
    scan?.cancel()
    scan = nil
    guard mode != .off else { return }
    let advertisements = session.advertisements(readings: mode == .readings ? Self.readingInterval : nil)
    scan = Task { [weak self] in
      do {
        for try await advertisement in advertisements where advertisement.event != .lost {
          self?.report(advertisement)
        }
      } catch {
        // The session ended, which its own event reports.
      }
    }
  }

  private func report(_ advertisement: ASAdvertisement) {
    guard let identifier = advertisement.accessory.bluetoothIdentifier else { return }
    let values = advertisement.bluetoothAdvertisementData
    let event = SourceAdvertisement(
      identifier: identifier, services: values[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? [],
      solicitedServices: values[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] ?? [],
      rssi: advertisement.rssi ?? 127
    ) {
      let pairs = advertisement.bluetoothAdvertisementData.compactMap { key, value in
        (key as? String).map { ($0, value) }
      }
      return Dictionary(pairs) { first, _ in first }
    }
    queue.async { [self] in receive(.advertisement(event)) }
  }
}

/// A connection that was refused at once.
private struct RefusedConnection: PendingConnection {
  func cancel() {}
}

extension ConnectionAttempt: PendingConnection {}

extension ConnectionRefusedError {
  /// `connectionFailed` may succeed later: the accessory is out of reach, or the agent starts again.
  fileprivate init(_ error: ASError) {
    self.init(error.connectionError, isTemporary: error.code == .connectionFailed)
  }
}

extension ASError {
  fileprivate var field: String? { userInfo[ASError.fieldKey] as? String }

  /// What the app receives when it is not connected. CBError has no case for an accessory that has to be authenticated.
  fileprivate var connectionError: any Error {
    guard code == .invalidRequest, field == "accessory.isBondAuthenticated" else { return CBError(self) }
    return CBATTError(.insufficientAuthentication, userInfo: userInfo)
  }
}

extension CBError {
  /// An error of the agent, with its texts.
  fileprivate init(_ error: ASError) {
    let field = error.field
    let code: Code =
      switch error.code {
      case .connectionFailed: field == "accessory.reach" ? .connectionTimeout : .connectionFailed
      case .invalidRequest: Code(refusedFor: field)
      case .userRestricted: .connectionLimitReached
      case .userCancelled: .operationCancelled
      default: .operationNotSupported
      }
    self.init(code, userInfo: error.userInfo)
  }
}

extension CBError.Code {
  /// With a field a request is refused because of the accessory, without one because of the gateway.
  fileprivate init(refusedFor field: String?) {
    switch field {
    case nil: self = .operationNotSupported
    case "accessory.bond": self = .peerRemovedPairingInformation
    case _?: self = .unknownDevice
    }
  }
}
