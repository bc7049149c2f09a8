// SPDX-License-Identifier: GPL-3.0-or-later

/// The files of a connection by TLS.
public struct BrokerCertificates: Equatable, Sendable {
  /// The authorities that the broker's certificate is checked with.
  public var authorities = ""
  /// The bridge's own certificate and its key.
  public var certificate: String?
  public var key: String?

  public init() {}

  /// The files, by the keys of the configuration.
  public var files: [(key: String, path: String?)] {
    [("cafile", authorities), ("certfile", certificate), ("keyfile", key)]
  }
}

/// How often the readings of an accessory are published at most.
public struct ReadingPauses: Equatable, Sendable {
  /// In seconds.
  public var interval = 10
  /// The same for the accessories of an app.
  public var intervals: [String: Int] = [:]

  public init() {}

  public func pause(app: String) -> Duration { .seconds(intervals[app] ?? interval) }
}
