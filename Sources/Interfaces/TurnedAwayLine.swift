// SPDX-License-Identifier: Apache-2.0

public import JSON

/// An item that is full: devices in sight match it, and it keeps stronger ones. `TurnedAway` of
/// `io.accessoryd.Gateway`.
public struct TurnedAwayLine: Equatable, Line {
  public var app: String
  public var item: String
  /// How many devices it has turned away.
  public var devices: Int

  public init(app: String, item: String, devices: Int) {
    self.app = app
    self.item = item
    self.devices = devices
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("app", app)
    json.member("item", item)
    json.member("devices", devices)
  }
}

extension TurnedAwayLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      app: try line.string("app"), item: try line.string("item"), devices: try line.integer("devices"))
  }
}
