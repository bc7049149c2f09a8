// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
import Dispatch
import Foundation

/// The app's accessories, for one central manager: its part in a ``SharedSession``.
final class SessionSource: PeripheralSource, @unchecked Sendable {
  private let gateway: ASGateway
  /// The queue of ``start(on:receive:)``, and what begins with it.
  private var queue = DispatchQueue.main
  private var shared: SharedSession?

  init(gateway: ASGateway = ASGateway()) { self.gateway = gateway }

  func start(on queue: DispatchQueue, receive: @escaping @Sendable (SourceEvent) -> Void) {
    self.queue = queue
    shared = SharedSession.join(
      gateway, ObjectIdentifier(self), SharedSession.Member(queue: queue, receive: receive))
  }

  func stop() { shared?.leave(ObjectIdentifier(self)) }

  func setScanning(_ mode: ScanMode) { shared?.beginScanning(mode, for: ObjectIdentifier(self)) }

  // MARK: Connections

  func connect(
    to identifier: UUID, completion: @escaping @Sendable (Result<Int32, ConnectionRefusedError>) -> Void
  ) -> any PendingConnection {
    guard let (session, accessory) = shared?.usable(identifier) else {
      // Until the accessories are known, this is one attempt of many.
      let isTemporary = !(shared?.isActivated ?? false)
      let error = ConnectionRefusedError(CBError.forgottenPeripheral, isTemporary: isTemporary)
      queue.async { completion(.failure(error)) }
      return RefusedConnection()
    }
    return session.connect(to: accessory) { [queue] result in
      queue.async { completion(result.mapError { ConnectionRefusedError($0) }) }
    }
  }

  func readRSSI(of identifier: UUID, completion: @escaping @Sendable (Result<Int, CBError>) -> Void) {
    guard let (session, accessory) = shared?.usable(identifier) else {
      return queue.async { completion(.failure(CBError.forgottenPeripheral)) }
    }
    session.readRSSI(of: accessory) { [queue] result in
      queue.async { completion(result.mapError { CBError($0) }) }
    }
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
