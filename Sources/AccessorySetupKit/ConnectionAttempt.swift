// SPDX-License-Identifier: Apache-2.0

import SessionClient

/// A connection to an accessory that is being made, for the module `CoreBluetooth`.
package struct ConnectionAttempt: Sendable {
  private let cancellation: @Sendable () -> Void

  init(cancellation: @escaping @Sendable () -> Void) { self.cancellation = cancellation }

  /// Gives the connection up. The completion handler is called with `userCancelled`, unless it was called before.
  package func cancel() { cancellation() }
}

extension ASAccessorySession {
  /// Connects to an authorized accessory: `Session.Connect`.
  ///
  /// On success the handler receives a connected, non-blocking `SOCK_SEQPACKET` socket of L2CAP's fixed channel 4
  /// (ATT), which the receiver owns and must close. The link belongs to this session and ends with it. The handler is
  /// called exactly once, on the queue of ``ASAccessorySession/activate(on:eventHandler:)``. There is no deadline: the
  /// agent replies when the accessory is connected or cannot be, and `connectionFailed` comes when the agent ends. An
  /// agent without the method gives `unknown`.
  @discardableResult
  package func connect(
    to accessory: ASAccessory, completionHandler: @escaping @Sendable (Result<Int32, ASError>) -> Void
  ) -> ConnectionAttempt {
    let request = Result { () throws(SessionError) -> SessionRequest in
      .connect(accessory: try accessory.identifier)
    }
    let call = engine.beginCall(request) { result in
      switch result {
      case .success(.descriptor(let descriptor)): completionHandler(.success(descriptor))
      case .success: completionHandler(.failure(ASError(SessionError.otherReply)))
      case .failure(let error): completionHandler(.failure(ASError(error)))
      }
    }
    return ConnectionAttempt { [engine] in engine.cancel(call) }
  }

  /// Reads how strong the signal of a connected accessory is, in dBm: `Session.ReadRSSI`. The handler is called exactly
  /// once, on the queue of ``ASAccessorySession/activate(on:eventHandler:)``.
  package func readRSSI(
    of accessory: ASAccessory, completionHandler: @escaping @Sendable (Result<Int, ASError>) -> Void
  ) {
    let request = Result { () throws(SessionError) -> SessionRequest in .readRSSI(try accessory.identifier) }
    engine.beginCall(request) { result in
      switch result {
      case .success(.rssi(let rssi)): completionHandler(.success(rssi))
      case .success: completionHandler(.failure(ASError(SessionError.otherReply)))
      case .failure(let error): completionHandler(.failure(ASError(error)))
      }
    }
  }
}
