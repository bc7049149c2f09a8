// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import GATT

/// What a central's engine knows of a peripheral that the app has. It belongs to the engine's queue.
final class PeripheralRecord: @unchecked Sendable {
  /// How far the connection is.
  enum Phase {
    case disconnected
    /// The next attempt follows.
    case waiting
    case connecting(any PendingConnection)
    /// The link is there; its MTU is not known yet.
    case starting(ATTLink)
    case connected(ATTLink)
  }

  static let retryDelayMin = 0.25
  static let retryDelayMax = 5.0

  let identifier: UUID
  weak var peripheral: CBPeripheral?
  private(set) var phase = Phase.disconnected
  /// Changes with each phase, so that a late completion or timer is recognised.
  private(set) var turn: UInt64 = 0
  /// The name that the device gives itself, as far as it was received.
  var ownName: String?
  /// Whether the app wants to be connected again after each loss.
  var isReconnecting = false
  var retryDelay = PeripheralRecord.retryDelayMin
  private var completions: [GATTClient.OperationID: (Result<GATTResult, any Error>) -> Void] = [:]
  private var lastOperation: GATTClient.OperationID = 0

  init(identifier: UUID) { self.identifier = identifier }

  /// The only way to another phase.
  func enter(_ phase: Phase) {
    self.phase = phase
    turn += 1
  }

  /// The link of a connection that the app knows about.
  var link: ATTLink? {
    if case .connected(let link) = phase { link } else { nil }
  }

  /// Begins an operation on the link; `completion` is called once.
  func beginOperation(
    _ operation: GATTOperation, on link: ATTLink,
    completion: @escaping (Result<GATTResult, any Error>) -> Void
  ) {
    lastOperation += 1
    completions[lastOperation] = completion
    link.beginOperation(operation, lastOperation)
  }

  func complete(_ id: GATTClient.OperationID, _ result: Result<GATTResult, GATTError>) {
    completions.removeValue(forKey: id)?(result.mapError { $0.appError })
  }

  /// The delay before the next attempt: it doubles from attempt to attempt.
  func nextRetryDelay() -> Double {
    defer { retryDelay = min(2 * retryDelay, Self.retryDelayMax) }
    return retryDelay
  }
}
