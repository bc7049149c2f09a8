// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Something that bluetoothd or the bus reports.
public enum BusEvent: Equatable, Sendable {
  /// The properties of an object that a message has; nil for those that it does not have.
  public struct Properties: Equatable, Sendable {
    /// 48 bits.
    public var addressBits: UInt64?
    public var addressType: AddressType?
    /// The path of a device's adapter.
    public var adapter: String?
    public var isPaired: Bool?

    public init() {}
  }

  /// What bluetoothd asks of the agent, with the digits. Those above 999,999 are refused.
  public enum Question: Equatable, Sendable {
    case confirmation(UInt32)
    case passkey
    case showPasskey(UInt32)
    /// Consent without digits, a PIN, or the use of a service: questions that no pairing of the gateway leads to.
    case other
  }

  /// Whether bluetoothd runs; the first event after the bus was opened.
  case owner(isRunning: Bool)
  /// The bus cannot be used: with what a pairing ends.
  case closed(PairingError)
  /// The reply to a call; nil without an error.
  case reply(to: UInt64, BusCallError?)
  case device(path: String, Properties)
  case adapter(path: String, Properties)
  case removed(path: String)
  /// `token` names the question in its answer.
  case question(token: UInt64, Question, device: String)
  /// bluetoothd withdraws its questions.
  case questionsCancelled
  /// A message of bluetoothd or the bus cannot be read, in whole or in part.
  case malformed
  /// Another program sent a message that only bluetoothd may send.
  case otherProgram
}

/// Why a message over the bus was ignored.
public enum BusMessageError: Sendable {
  /// bluetoothd asked about digits above 999,999 in a pairing of the gateway.
  case invalidDigits
  /// It cannot be read, in whole or in part.
  case unreadable
  /// Another program sent a message that only bluetoothd may send.
  case otherProgram
}
