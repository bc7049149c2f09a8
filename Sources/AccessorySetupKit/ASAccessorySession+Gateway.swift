// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SessionClient

// What only a gateway's session has.

extension ASAccessorySession {
  /// The radio's state, as the agent reported it last.
  public var radioState: ASRadioState { engine.radioState }

  /// Called on the session's queue each time that ``radioState`` has changed. Set it before activating the session.
  public var radioStateHandler: (@Sendable (ASRadioState) -> Void)? {
    get { engine.radioHandler }
    set { engine.radioHandler = newValue }
  }

  /// Closes the session's picker, which finishes with `userCancelled`.
  public func cancelPicker() async throws { _ = try await outcome(of: .success(.cancelPicker)) }

  /// The address of an authorized accessory. The agent counts and logs the call.
  public func address(of accessory: ASAccessory) async throws -> ASBluetoothAddress {
    let request = Result { () throws(SessionError) -> SessionRequest in .resolve(try accessory.identifier) }
    guard case .address(let address, let type) = try await outcome(of: request) else {
      throw ASError(SessionError.otherReply)
    }
    return ASBluetoothAddress(address: address, isRandom: type == "random")
  }

  /// What the app's accessories advertise: first what is known of those in sight, then everything new. With
  /// `readings`, also each time that an accessory is received again, at most once in this many seconds (0 to 3600).
  ///
  /// A receiver that does not keep up loses the oldest of ``advertisementsMax``. The stream survives a restart of the
  /// agent, and fails when the session ends.
  public func advertisements(
    readings interval: TimeInterval? = nil
  ) -> AsyncThrowingStream<ASAdvertisement, any Error> {
    let policy = AsyncThrowingStream<ASAdvertisement, any Error>.Continuation.BufferingPolicy.bufferingNewest(
      Self.advertisementsMax)
    return AsyncThrowingStream(ASAdvertisement.self, bufferingPolicy: policy) { continuation in
      let call = engine.beginCall(
        .success(.advertisements(interval: interval.map { Seconds(microseconds: Self.microseconds($0)) })),
        advertisement: { continuation.yield($0) },
        completion: { result in
          switch result {
          case .success: continuation.finish()
          case .failure(let error): continuation.finish(throwing: ASError(error))
          }
        })
      continuation.onTermination = { [weak engine] _ in engine?.cancel(call) }
    }
  }

  /// The agent refuses what is no interval.
  private static func microseconds(_ interval: TimeInterval) -> Int64 {
    Int64(exactly: (interval * 1_000_000).rounded()) ?? -1
  }

  /// How many advertisements wait for a receiver.
  public static var advertisementsMax: Int { 256 }

  private func outcome(of request: Result<SessionRequest, SessionError>) async throws -> CallOutcome {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<CallOutcome, any Error>) in
      engine.beginCall(request) { result in
        continuation.resume(with: result.mapError { ASError($0) as any Error })
      }
    }
  }
}
