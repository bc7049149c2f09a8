// SPDX-License-Identifier: GPL-3.0-or-later

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
