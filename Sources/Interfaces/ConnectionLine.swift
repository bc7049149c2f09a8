// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A connection of an app to its accessory that was made or has ended: an event of `io.accessoryd.Gateway`, and in a line
/// of `watch --json` (`Config/schema/watch.schema.json`).
public struct ConnectionLine: Equatable, ReadableLine {
  /// How a connection ends; the interface says what each means.
  public enum End: String, CaseIterable, Sendable {
    case app, accessory, lost, bond, removed, unauthenticated, session, `operator`, radio

    /// What ended it, for operators.
    public var sentence: String {
      switch self {
      case .app: "the app closed the connection"
      case .accessory: "the accessory ended it"
      case .lost: "the accessory went out of reach"
      case .bond: "the accessory did not accept the keys of its bond"
      case .removed: "the app may not use the accessory any longer"
      case .unauthenticated: "the manifest now demands an authenticated bond, which the accessory lacks"
      case .session: "the app's session ended"
      case .operator: "an operator ended it"
      case .radio: "the radio was closed"
      }
    }
  }

  /// Since the agent started.
  public let time: Seconds
  public let app: String
  /// 32 lower-case hexadecimal digits.
  public let accessory: String
  public let displayName: String
  public let address: WireAddress
  /// nil for a connection that was made.
  public let end: End?
  /// How long it lasted; nil for a connection that was made.
  public let duration: Seconds?

  public init(
    time: Seconds, app: String, accessory: String, displayName: String, address: WireAddress, end: End?,
    duration: Seconds?
  ) {
    self.time = time
    self.app = app
    self.accessory = accessory
    self.displayName = displayName
    self.address = address
    self.end = end
    self.duration = duration
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("time", time)
    json.member("event", end == nil ? "connected" : "disconnected")
    json.member("app", app)
    json.member("accessory", accessory)
    json.member("displayName", displayName)
    json.members(address)
    if let end { json.member("end", end.rawValue) }
    if let duration { json.member("duration", duration) }
  }

  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    let isMade = try line.value("event", of: ["connected", "disconnected"], \.self) == "connected"
    self.init(
      time: try line.seconds("time"), app: try line.string("app"), accessory: try line.string("accessory"),
      displayName: try line.string("displayName"), address: try line.knownAddress(),
      end: isMade ? nil : try line.value("end", of: End.allCases, \.rawValue),
      duration: isMade ? nil : try line.seconds("duration"))
  }
}
