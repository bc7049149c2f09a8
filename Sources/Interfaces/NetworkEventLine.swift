// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A network that an item has found or lost: `NetworkEvent` of `io.accessoryd.Gateway`, and in a line of `watch --json`
/// (`Config/schema/watch.schema.json`).
public struct NetworkEventLine: Equatable, ReadableLine {
  public enum Event: String, CaseIterable, Sendable {
    case found, lost
  }

  /// Why the event happened; the interface says what each means.
  public enum Reason: String, CaseIterable, Sendable {
    case matched, silence, evicted, radioDown, reload
  }

  /// Since the agent started.
  public let time: Seconds
  public let event: Event
  public let app: String
  public let item: String
  public let ssid: AirText
  /// dBm of the strongest radio's last beacon; nil when the interface does not say.
  public let signal: Int8?
  public let security: NetworkLine.Security
  /// When the network was last seen.
  public let lastSeen: Seconds
  public let reason: Reason

  public init(
    time: Seconds, event: Event, app: String, item: String, ssid: AirText, signal: Int8?,
    security: NetworkLine.Security, lastSeen: Seconds, reason: Reason
  ) {
    self.time = time
    self.event = event
    self.app = app
    self.item = item
    self.ssid = ssid
    self.signal = signal
    self.security = security
    self.lastSeen = lastSeen
    self.reason = reason
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("time", time)
    json.member("event", event.rawValue)
    json.member("app", app)
    json.member("item", item)
    json.member("ssid", networkName: ssid)
    json.member("signal", signal)
    json.member("security", security.rawValue)
    json.member("lastSeen", lastSeen)
    json.member("reason", reason.rawValue)
  }

  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      time: try line.seconds("time"), event: try line.value("event", of: Event.allCases, \.rawValue),
      app: try line.string("app"), item: try line.string("item"), ssid: try line.airText("ssid"),
      signal: try line.integerIfPresent("signal"),
      security: try line.value("security", of: NetworkLine.Security.allCases, \.rawValue),
      lastSeen: try line.seconds("lastSeen"),
      reason: try line.value("reason", of: Reason.allCases, \.rawValue))
  }
}
