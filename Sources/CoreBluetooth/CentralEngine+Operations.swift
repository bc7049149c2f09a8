// SPDX-License-Identifier: Apache-2.0

import Foundation
import GATT

/// What a connected peripheral is asked to do.
extension CentralEngine {
  /// Begins an operation. `completion` runs on the app's queue, once, unless the manager goes away.
  func beginOperation(
    _ operation: GATTOperation, on identifier: UUID, unless refusal: (any Error)?,
    completion: @escaping @Sendable (Result<GATTResult, any Error>) -> Void
  ) {
    queue.async { [self] in
      guard let record = knownRecord(identifier), let link = record.link else {
        return deliver { _ in completion(.failure(CBError.notConnectedError)) }
      }
      if let refusal { return deliver { _ in completion(.failure(refusal)) } }
      record.beginOperation(operation, on: link) { [weak self] result in
        self?.deliver { _ in completion(result) }
      }
    }
  }

  /// Writes without response. `refused` runs on the app's queue if the value cannot be sent.
  func writeCommand(
    _ handle: UInt16, _ value: [UInt8], to identifier: UUID, unless refusal: CBError?,
    refused: @escaping @Sendable (any Error) -> Void
  ) {
    queue.async { [self] in
      let link = knownRecord(identifier)?.link
      let error: (any Error)? =
        if let link {
          refusal ?? reasonNotToSend(value, on: link)
        } else {
          CBError.notConnectedError
        }
      if let error { return deliver { _ in refused(error) } }
      link?.writeCommand(handle, value)
    }
  }

  private func reasonNotToSend(_ value: [UInt8], on link: ATTLink) -> (any Error)? {
    guard value.count <= link.commandValueBytesMax else {
      return CBATTError(
        .invalidAttributeValueLength,
        "the value has \(value.count) bytes, and the connection takes \(link.commandValueBytesMax)")
    }
    return link.canQueueCommand() ? nil : CBError.linkIsFull
  }

  func canQueueCommand(_ identifier: UUID) -> Bool {
    queue.sync { knownRecord(identifier)?.link?.canQueueCommand() ?? false }
  }

  func commandValueBytesMax(_ identifier: UUID) -> Int {
    queue.sync { knownRecord(identifier)?.link?.commandValueBytesMax ?? GATTClient.mtuMin - 3 }
  }

  /// Reads the signal strength; `completion` runs on the app's queue.
  func readRSSI(of identifier: UUID, completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
    queue.async { [self] in
      guard knownRecord(identifier)?.link != nil, !isStopped else {
        return deliver { _ in completion(.failure(CBError.notConnectedError)) }
      }
      source.readRSSI(of: identifier) { [weak self] result in
        self?.deliver { _ in completion(result.mapError { $0 as any Error }) }
      }
    }
  }
}
