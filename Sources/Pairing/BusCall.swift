// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A call of bluetoothd over the system bus. Devices and adapters are named by the paths that bluetoothd gave them, which
/// say nothing about their addresses.
public struct BusCall: Equatable, Sendable {
  public enum Method: Equatable, Sendable {
    /// `GetManagedObjects`: each object comes as an event, before the reply.
    case listObjects
    /// `AgentManager1.RegisterAgent` and `UnregisterAgent`.
    case registerAgent(IOCapability)
    case unregisterAgent
    /// `Adapter1.SetDiscoveryFilter`: Low Energy only.
    case setDiscoveryFilter(adapter: String)
    case startDiscovery(adapter: String)
    case stopDiscovery(adapter: String)
    case removeDevice(String, adapter: String)
    /// `Device1.Pair`, `CancelPairing` and `Disconnect`.
    case pair(String)
    case cancelPairing(String)
    case disconnect(String)
    /// Sets the property `Trusted`, so that bluetoothd connects to the device again by itself.
    case trust(String)
    /// Replies to a question of bluetoothd. There is no reply.
    case answer(question: UInt64, BusAnswer)
    /// Begins or ends to follow the properties of devices. There is no reply.
    case followProperties(Bool)
  }

  /// Names the call in its reply; each call has another number.
  public let number: UInt64
  public let method: Method
  /// How long bluetoothd may take. No reply in time is a reply with an error.
  public let milliseconds: UInt32
}

public enum BusAnswer: Equatable, Sendable {
  case refuse
  case accept
  case digits(UInt32)
}

/// An error of bluetoothd (BlueZ 5.66, src/error.c and src/device.c) or of D-Bus: its name, and what it says.
public struct BusCallError: Equatable, Sendable {
  let name: String
  let text: String

  public init(name: String, text: String = "") { (self.name, self.text) = (name, text) }

  /// The most characters of bluetoothd's own words that are kept.
  private static let textMax = 120

  var isAlreadyThere: Bool { name == "org.bluez.Error.AlreadyExists" }
  var isInProgress: Bool { name == "org.bluez.Error.InProgress" }

  /// The object is not, or no longer, known.
  var isUnknownObject: Bool {
    [
      "org.bluez.Error.DoesNotExist", "org.freedesktop.DBus.Error.UnknownObject",
      "org.freedesktop.DBus.Error.UnknownMethod",
    ].contains(name)
  }

  /// What a call that cannot be replied to by a person ended with.
  var error: PairingError {
    switch name {
    case _ where isUnknownObject: .unknownToBluetoothd
    case "org.bluez.Error.NotReady": .radioIsGone
    case "org.bluez.Error.NotAuthorized", "org.bluez.Error.NotPermitted",
      "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed":
      .notPermitted
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected",
      "org.freedesktop.DBus.Error.Timeout":
      .bluetoothdChanged
    default: .notSupported(words)
    }
  }

  /// What `Pair` ended with.
  func error(of attempt: BusAttempt, at now: Instant) -> PairingError {
    let reported = error(of: attempt)
    guard reported == .deviceIsGone, attempt.hasTakenTooLong(at: now) else { return reported }
    return .timeout(isAsking: attempt.isAsking)
  }

  private func error(of attempt: BusAttempt) -> PairingError {
    switch name {
    case "org.bluez.Error.AlreadyExists": .alreadyPaired(isRemoved: false)
    case _ where attempt.questionEnd == .digitsDiffer: .digitsDiffer
    case "org.bluez.Error.AuthenticationFailed": attempt.method == .justWorks ? .refused : .wrongDigits
    case "org.bluez.Error.AuthenticationRejected": .refused
    case "org.bluez.Error.AuthenticationTimeout": .timeout(isAsking: attempt.isAsking)
    // Another program called CancelPairing, or the link ended.
    case "org.bluez.Error.AuthenticationCanceled": attempt.linkEnded ? .deviceIsGone : .otherProgram
    case "org.bluez.Error.ConnectionAttemptFailed": .deviceIsGone
    case "org.bluez.Error.InProgress": .otherProgram
    default: error
    }
  }

  private var words: String {
    let short = name.split(separator: ".").last.map(String.init) ?? "unknown error"
    let said = String(text.unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }.prefix(Self.textMax))
    return said.isEmpty ? String(short.prefix(Self.textMax)) : "\(short.prefix(Self.textMax)): \(said)"
  }
}

extension String {
  fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
    self = scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
  }
}

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
