// SPDX-License-Identifier: GPL-3.0-or-later

public import BrokerFeed

/// What the file mqtt.toml says.
public struct MQTTConfiguration: Equatable, Sendable {
  /// Where the broker is, and how it is reached.
  public struct Broker: Equatable, Sendable {
    public enum Address: Equatable, Sendable {
      case host(String, port: UInt16)
      case socket(path: String)
    }

    public var address = Address.host("localhost", port: 1883)
    public var user: String?
    /// Nil for a connection without TLS.
    public var certificates: BrokerCertificates?

    public init() {}
  }

  public var broker = Broker()
  /// The gateway's name in topics; nil for the name of the host.
  public var name: String?
  public var base = "accessoryd"
  /// 0 to 2: how messages are published.
  public var quality = 1
  /// Whether the addresses of devices, and their data, leave the gateway.
  public var showsAddresses = false
  public var acceptsCommands = false
  /// The prefix of Home Assistant's topics; nil for none.
  public var discovery: String? = "homeassistant"
  /// Whether events are also published for TheengsGateway.
  public var publishesUndecoded = false
  public var pauses = ReadingPauses()

  public init() {}
}
