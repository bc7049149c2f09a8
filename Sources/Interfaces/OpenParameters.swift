// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The parameters of `Open` of `io.accessoryd.Operator`.
public struct OpenParameters: Equatable, Line {
  public var app: String
  /// The ids of the items to look for; nil for all that operators choose.
  public var items: [String]?
  public var usesTouch = false
  public var takesFirstImmediate = false
  /// An address; nil unless the request is for one device.
  public var device: String?
  /// A network's name; nil unless the request is for one network.
  public var network: AirText?
  /// How many accessories to set up; nil for one.
  public var count: Int64?
  public var discoveryTimeout: String?

  public init(app: String) { self.app = app }

  /// Leaves out what is not set.
  public func writeMembers(to json: inout JSONWriter) {
    json.member("app", app)
    if let items { json.member("items", items) }
    if usesTouch { json.member("usesTouch", true) }
    if takesFirstImmediate { json.member("takesFirstImmediate", true) }
    if let device { json.member("device", device) }
    if let network { json.member("network", networkName: network) }
    if let count { json.member("count", count) }
    if let discoveryTimeout { json.member("discoveryTimeout", discoveryTimeout) }
  }
}

extension OpenParameters: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(app: try line.string("app"))
    items = try line.stringsIfPresent("items")
    usesTouch = try line.boolIfPresent("usesTouch") ?? false
    takesFirstImmediate = try line.boolIfPresent("takesFirstImmediate") ?? false
    device = try line.stringIfPresent("device")
    network = try line.airTextIfPresent("network")
    count = try line.integerIfPresent("count")
    discoveryTimeout = try line.stringIfPresent("discoveryTimeout")
  }
}
