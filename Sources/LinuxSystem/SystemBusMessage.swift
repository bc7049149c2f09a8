// SPDX-License-Identifier: GPL-3.0-or-later

import CSystemd

/// A method of bluetoothd. Objects are given by their paths.
public enum SystemBusCall: Equatable, Sendable {
  /// `GetManagedObjects`: the devices and adapters come as messages, before the reply.
  case listObjects
  /// `AgentManager1.RegisterAgent`, with bluetoothd's name for the input and output.
  case registerAgent(String)
  case unregisterAgent
  /// `Adapter1.SetDiscoveryFilter`: Low Energy only.
  case setDiscoveryFilter(adapter: String)
  /// Sets the property `Trusted`.
  case trust(device: String)
  /// A method of `Device1` without arguments.
  case device(String, path: String)
  /// A method of `Adapter1`, without arguments or with an object.
  case adapter(String, path: String, argument: String?)
}

/// An answer to a question of bluetoothd.
public enum SystemBusAnswer: Equatable, Sendable {
  /// `org.bluez.Error.Rejected`.
  case refuse
  case accept
  case digits(UInt32)
}

/// Something that bluetoothd or the bus sent.
public enum SystemBusMessage: Equatable, Sendable {
  /// The properties of an object that a message has; nil for those that it does not have.
  public struct Properties: Equatable, Sendable {
    public var address: String?
    public var addressType: String?
    /// The path of a device's adapter.
    public var adapter: String?
    public var isPaired: Bool?
    public var isConnected: Bool?
    public var isPowered: Bool?

    public init() {}
  }

  /// Whether bluetoothd runs. The first one comes after opening.
  case owner(isRunning: Bool)
  /// The reply to a call; nil without an error.
  case reply(token: UInt64, error: String?, text: String)
  case device(path: String, Properties)
  case adapter(path: String, Properties)
  case deviceRemoved(path: String)
  case adapterRemoved(path: String)
  /// The agent is asked with this method of `Agent1`. `digits` is 0 for a method that has none.
  case question(token: UInt64, method: String, device: String, digits: UInt32)
  case questionCancelled
  case agentReleased
  /// A message of bluetoothd cannot be read, in whole or in part.
  case malformed
  /// Another program sent a message that only bluetoothd may send.
  case otherProgram

  /// Copies what the shim has read; the texts of the event have to be valid.
  init(_ event: csystemd_event) {
    let path = unsafe Self.text(event.path) ?? ""
    switch unsafe event.kind {
    case CSYSTEMD_OWNER: self = .owner(isRunning: unsafe event.number != 0)
    case CSYSTEMD_REPLY:
      self = .reply(
        token: unsafe event.token, error: unsafe Self.text(event.name),
        text: unsafe Self.text(event.text) ?? "")
    case CSYSTEMD_DEVICE: self = .device(path: path, unsafe Properties(event))
    case CSYSTEMD_ADAPTER: self = .adapter(path: path, unsafe Properties(event))
    case CSYSTEMD_DEVICE_REMOVED: self = .deviceRemoved(path: path)
    case CSYSTEMD_ADAPTER_REMOVED: self = .adapterRemoved(path: path)
    case CSYSTEMD_QUESTION:
      self = .question(
        token: unsafe event.token, method: unsafe Self.text(event.name) ?? "", device: path,
        digits: unsafe event.number)
    case CSYSTEMD_CANCEL: self = .questionCancelled
    case CSYSTEMD_RELEASE: self = .agentReleased
    case CSYSTEMD_FOREIGN: self = .otherProgram
    default: self = .malformed
    }
  }

  /// Holds: each text ends with a zero and lives for as long as the event.
  fileprivate static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    unsafe pointer.map { unsafe String(cString: $0) }
  }
}

extension SystemBusMessage.Properties {
  fileprivate init(_ event: csystemd_event) {
    address = unsafe SystemBusMessage.text(event.address)
    addressType = unsafe SystemBusMessage.text(event.address_type)
    adapter = unsafe SystemBusMessage.text(event.adapter)
    let (known, values) = unsafe (event.known, event.values)
    func flag(_ bit: Int) -> Bool? { known & UInt32(bit) == 0 ? nil : values & UInt32(bit) != 0 }
    isPaired = flag(Int(CSYSTEMD_PAIRED))
    isConnected = flag(Int(CSYSTEMD_CONNECTED))
    isPowered = flag(Int(CSYSTEMD_POWERED))
  }
}
