// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
public import Pairing

/// The pairing of a setup flow: from the request until the accessory is written or the flow ends.
public struct FlowPairing: Equatable, Sendable {
  /// How long after the pairing's own time the flow waits for the backend to report its end.
  static let endMilliseconds: Int64 = 10_000

  public let request: PairingRequest
  /// What the person is asked now.
  public internal(set) var question: PairingQuestion?
  /// The device once it is paired.
  public internal(set) var device: PairedDevice?
  /// The backend has ended it, so it needs no cancelling.
  var isOver = false
  /// It ended by itself without success: it was not just cancelled.
  var hasFailed = false

  init(_ request: PairingRequest) { self.request = request }

  /// Whether it is about the device with this address, before it was paired or after.
  func isAbout(_ address: DeviceAddress) -> Bool {
    request.device == address || device?.identity == address
  }
}
