// SPDX-License-Identifier: GPL-3.0-or-later

public import BrokerFeed

/// What the file nats.toml says.
public struct NATSConfiguration: Equatable, Sendable {
  /// Where the servers are, and how they are reached.
  public struct Server: Equatable, Sendable {
    public var urls = ["nats://localhost:4222"]
    public var user: String?
    /// The public key of the account's user, whose seed is a credential.
    public var publicKey: String?
    /// Nil for a connection without TLS, unless a URL asks for it.
    public var certificates: BrokerCertificates?

    public init() {}
  }

  /// The stream that keeps the events.
  public struct Stream: Equatable, Sendable {
    public var name = "ACCESSORIES"
    /// The domain of JetStream; nil for that of the server.
    public var domain: String?
    /// Whether the bridge makes a stream that is not there.
    public var isCreated = false

    public init() {}
  }

  public var server = Server()
  public var stream = Stream()
  /// The gateway's name in subjects; nil for the name of the host.
  public var name: String?
  /// What subjects begin with.
  public var prefix = "acc"
  /// Whether the addresses of devices, and their data, leave the gateway.
  public var showsAddresses = false
  public var publishesReadings = false
  public var publishesStatus = false
  public var pauses = ReadingPauses()

  public init() {}
}
