// SPDX-License-Identifier: GPL-3.0-or-later

/// A message for the server.
public struct NATSMessage: Equatable, Sendable {
  public struct Header: Equatable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  public let subject: String
  public let headers: [Header]
  public let payload: [UInt8]

  public init(_ subject: String, _ payload: [UInt8], headers: [Header] = []) {
    (self.subject, self.payload, self.headers) = (subject, payload, headers)
  }
}

/// What the server has sent back for a message.
public struct NATSReply: Equatable, Sendable {
  /// The number of the message.
  public let number: Int
  /// The status in its headers, such as 503 when nothing receives the subject; 0 without one.
  public let status: Int
  public let payload: [UInt8]

  public init(number: Int, status: Int = 0, payload: [UInt8]) {
    (self.number, self.status, self.payload) = (number, status, payload)
  }
}

/// The subjects of a gateway.
struct NATSSubjects: Equatable, Sendable {
  let gateway: String
  /// What the gateway's subjects begin with.
  let base: String
  /// What the subjects of JetStream's interface begin with.
  private let api: String

  init(_ configuration: NATSConfiguration, host: String) {
    gateway = configuration.name ?? host
    base = "\(configuration.prefix).\(gateway)"
    api = configuration.stream.domain.map { "$JS.\($0).API" } ?? "$JS.API"
  }

  var event: String { "\(base).event" }
  var reset: String { "\(base).reset" }
  var missed: String { "\(base).missed" }
  var reading: String { "\(base).reading" }
  var status: String { "\(base).status" }

  /// Those whose messages say where reading goes on.
  var positions: [String] { [event, reset, missed] }

  func info(_ stream: String) -> String { "\(api).STREAM.INFO.\(stream)" }
  func create(_ stream: String) -> String { "\(api).STREAM.CREATE.\(stream)" }
  func message(_ stream: String) -> String { "\(api).STREAM.MSG.GET.\(stream)" }
}
