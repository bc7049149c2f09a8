// SPDX-License-Identifier: GPL-3.0-or-later

public import BrokerFeed

extension NATSBridge {
  /// What the log says.
  public enum Notice: Equatable, Sendable {
    case gateway(GatewayFeed.Notice)
    case serverIsThere
    case serverIsAway(String)
    /// What the server says about a message, such as a right that is missing.
    case serverComplains(String)
    /// The account has no JetStream.
    case noJetStream
    /// There is no stream of the name; the subjects that it needs.
    case noStream(name: String, subjects: String)
    case streamCreated(String)
    /// The stream has no subject of the gateway's.
    case subjectNotStored(stream: String, subject: String)
    /// Another stream has the subject.
    case storedElsewhere(stream: String, subject: String)
    case refused(String)
    /// The stream refuses doubles only for this many seconds.
    case shortDuplicateWindow(stream: String, seconds: Int)
    case reconfigured
  }
}
