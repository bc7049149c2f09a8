// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// A pairing through bluetoothd that is under way.
package struct BusAttempt: Equatable, Sendable {
  /// How long what precedes discovery may take without shortening it.
  private static let preparationMilliseconds: Int64 = 10_000

  package enum Step: Equatable, Sendable {
    case openingBus
    case registering
    /// bluetoothd had an agent of this connection.
    case registeringAgain
    case listing
    case removingOldBond
    case filtering
    case discovering
    /// The kernel's discovery is another program's, and bluetoothd could not begin its own: it is to try again.
    case awaitingDiscovery
    case stoppingDiscovery
    case pairing
    /// An input device stays connected, and bluetoothd connects to it again by itself.
    case trusting
    case disconnecting
    case awaitingKeys
    case cancelling
    case removing
    case unregistering
    /// Undone. Waiting to see whether bluetoothd has exited, which would be the real cause.
    case awaitingBluetoothdsEnd

    static let discoveryMilliseconds: Int64 = 20_000

    /// How long the step may take. The person's answers take place while pairing, which ends with the attempt.
    var milliseconds: Int64 {
      switch self {
      case .openingBus, .registering, .registeringAgain, .listing, .removingOldBond, .filtering, .trusting,
        .disconnecting:
        5000
      // Short, so that clearing up ends before the request's ten-second grace.
      case .cancelling, .removing: 3000
      case .discovering: Self.discoveryMilliseconds
      case .awaitingDiscovery: 500
      case .awaitingBluetoothdsEnd: 1000
      case .stoppingDiscovery, .awaitingKeys, .unregistering: 2000
      case .pairing: PairingRequest.milliseconds
      }
    }

    /// Whether the attempt has not failed, and is not about to end.
    var isUnderWay: Bool {
      switch self {
      case .openingBus, .registering, .registeringAgain, .listing, .removingOldBond, .filtering, .discovering,
        .awaitingDiscovery, .stoppingDiscovery, .pairing, .trusting, .disconnecting, .awaitingKeys:
        true
      case .cancelling, .removing, .unregistering, .awaitingBluetoothdsEnd: false
      }
    }
  }

  /// A question that a person has not answered.
  struct Question: Equatable, Sendable {
    let token: UInt64
    let isDigits: Bool
  }

  /// How a question ended without consent.
  enum QuestionEnd: Equatable, Sendable {
    case digitsDiffer
    /// bluetoothd withdrew it before it was answered, as it does before it reports that the device gave up.
    case withdrawn
  }

  let request: PairingRequest
  let end: Instant
  package var step = Step.openingBus
  var stepEnd: Instant
  /// The call whose reply ends the step.
  var call: UInt64?
  /// The call of `Pair` until its reply.
  var pairCall: UInt64?
  /// The path of the device, once bluetoothd knows it.
  var device: String?
  /// bluetoothd knew the device before this attempt, and may not forget it.
  var wasKnown = false
  /// The device has, or may have, a bond of this attempt.
  var isPaired = false
  var question: Question?
  var questionEnd: QuestionEnd?
  var method = PairingMethod.justWorks
  var linkEnded = false
  var keys = BusKeys()
  package var result: Result<PairedDevice, PairingError>?

  /// When discovery ends without the device, however often it was begun.
  var discoveryEnd: Instant {
    end.advanced(
      milliseconds: Self.preparationMilliseconds + Step.discoveryMilliseconds - PairingRequest.milliseconds)
  }

  /// Whether a person or the device was awaited until the devices gave up.
  func hasTakenTooLong(at now: Instant) -> Bool {
    let left = Step.pairing.milliseconds - PairingAttempt.protocolMilliseconds
    return step == .pairing && stepEnd <= now.advanced(milliseconds: left)
  }

  /// Whether a person has not answered.
  var isAsking: Bool { question != nil || questionEnd == .withdrawn }

  init(_ request: PairingRequest, at now: Instant) {
    self.request = request
    end = now.advanced(milliseconds: PairingRequest.milliseconds)
    stepEnd = now.advanced(milliseconds: Step.openingBus.milliseconds)
  }
}
