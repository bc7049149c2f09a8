// SPDX-License-Identifier: Apache-2.0

// What the values of `io.accessoryd.Operator` say beside their members.

extension CandidateLine {
  /// What tells candidates of a request apart for a person: one that comes back is the same.
  public enum Key: Hashable, Sendable {
    /// nil for a device that could not be found again.
    case device(DeviceAddress?)
    case network([UInt8])
  }

  public var key: Key { ssid.map { .network($0.bytes) } ?? .device(address) }

  /// Whether it was found by its network.
  public var isNetwork: Bool { ssid != nil }

  /// The level that a person sees, in dBm.
  public var level: Int8? { isNetwork ? rssi : filteredRSSI }
}

/// The question of a pairing that waits for a person.
public struct PairingQuestionLine: Equatable, Sendable {
  public typealias Kind = RequestLine.Pairing

  public var kind: Kind
  /// Six digits, for compare and showDigits.
  public var digits: String?

  public init(_ kind: Kind, digits: String? = nil) {
    self.kind = kind
    self.digits = digits
  }
}

extension RequestLine {
  /// The open question of the pairing; nil while there is none.
  public var question: PairingQuestionLine? {
    get { pairing.map { PairingQuestionLine($0, digits: digits) } }
    set { (pairing, digits) = (newValue?.kind, newValue?.digits) }
  }
}

/// What the person at a client can do while a device is paired: see `Watch`.
public enum PairingCapabilityName: String, CaseIterable, Sendable {
  case display, keyboard, yesNo
}
