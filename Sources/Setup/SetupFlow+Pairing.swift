// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import Pairing
import Registry

// The pairing of a setup flow.

extension SetupFlow {
  /// Pairs the chosen device. ``completePairing(_:)`` or ``failPairing(_:isOver:)`` follows.
  mutating func pair(_ request: PairingRequest, at now: Instant) -> [Effect] {
    pairing = FlowPairing(request)
    return enter(
      .pairing(request.id, until: now.advanced(milliseconds: PairingRequest.milliseconds)))
  }

  /// Asks the person, or shows digits; a later question replaces it. nil: the person has answered.
  mutating func ask(_ question: PairingQuestion?) -> [Effect] {
    pairing?.question = question
    return []
  }

  /// Continues after the device was paired; the caller asks for a name or adds the accessory.
  mutating func completePairing(_ device: PairedDevice) -> [Effect] {
    pairing?.device = device
    pairing?.question = nil
    pairing?.isOver = true
    return bridgingEvent
  }

  /// Reports that the device also has the classic transport, where the item says so.
  var bridgingEvent: [Effect] {
    guard choice?.candidate.device.address != nil else { return [] }
    let options = chosenItem?.item.descriptor.supportedOptions ?? []
    return options.isSuperset(of: [.bluetoothPairingLE, .bluetoothTransportBridging])
      ? [.emit(.pickerSetupBridging)] : []
  }

  /// Ends a flow whose device was not paired. `isOver`: the backend has nothing left to cancel.
  mutating func failPairing(_ failure: SetupError, isOver: Bool) -> [Effect] {
    pairing?.question = nil
    pairing?.isOver = isOver
    pairing?.hasFailed = true
    return finish(failure)
  }

  /// What takes back the pairing of a flow that ends in `old` without an accessory.
  func undoingActions(from old: State) -> [Effect] {
    guard let pairing else { return [] }
    if let device = pairing.device { return [.unpair(device)] }
    guard case .pairing(let id, _) = old, !pairing.isOver else { return [] }
    return [.cancelPairing(id)]
  }

  /// Whether the device with this address is being paired, or was paired and is not written yet.
  func isPairing(_ device: DeviceAddress) -> Bool { !state.isFinished && pairing?.isAbout(device) ?? false }

  /// Whether no person chose the device.
  var isWithoutPerson: Bool {
    if case .automatic = origin { return true }
    return choice?.chooser == .touch
  }

  /// Whether the backend works for it.
  package var isPairing: Bool { if case .pairing = state { true } else { false } }
}

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
