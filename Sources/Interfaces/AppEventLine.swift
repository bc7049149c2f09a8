// SPDX-License-Identifier: Apache-2.0

public import JSON

/// An event of an app: `Event` of `io.accessoryd.Session`, and `ASAccessoryEvent`.
public struct AppEventLine: Equatable, Line {
  /// `activated` has no number of its own and carries that of the next event.
  public var sequence: UInt64
  /// How many of the preceding numbers went to other sessions of the app.
  public var passed = 0
  public var epoch: String
  public var time: Seconds
  /// The name of the event's kind.
  public var event: String
  /// AccessorySetupKit's raw value; nil for `pickerFinished`.
  public var eventType: Int?
  /// The accessory after the event; for `accessoryRemoved`, before it.
  public var accessory: AppAccessoryLine?
  /// For `accessoryChanged`: the names of the fields that changed.
  public var changed: [String]?
  public var discovered: DiscoveredLine?
  public var picker: String?
  public var error: FailureLine?

  public init(sequence: UInt64, epoch: String, time: Seconds, event: String, eventType: Int?) {
    self.sequence = sequence
    self.epoch = epoch
    self.time = time
    self.event = event
    self.eventType = eventType
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("sequence", sequence)
    if passed > 0 { json.member("passed", passed) }
    json.member("epoch", epoch)
    json.member("time", time)
    json.member("event", event)
    if let eventType { json.member("eventType", eventType) }
    if let accessory { json.object("accessory", accessory) }
    if let changed { json.member("changed", changed) }
    if let discovered { json.object("discovered", discovered) }
    if let picker { json.member("picker", picker) }
    if let error { json.object("error", error) }
  }
}

extension AppEventLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      sequence: try line.integer("sequence"), epoch: try line.string("epoch"), time: try line.seconds("time"),
      event: try line.string("event"), eventType: try line.integerIfPresent("eventType"))
    passed = try line.integerIfPresent("passed") ?? 0
    accessory = try line.lineIfPresent("accessory")
    changed = try line.stringsIfPresent("changed")
    discovered = try line.lineIfPresent("discovered")
    picker = try line.stringIfPresent("picker")
    error = try line.lineIfPresent("error")
  }
}

/// A device or a network that a filtered picker has found: `Discovered` of `io.accessoryd.Session`, and `ASDiscoveredAccessory`.
public struct DiscoveredLine: Equatable, ReadableLine {
  /// Means nothing outside its picker.
  public var discovered: UInt32
  public var itemIndex: Int
  /// The item's id, if it is in the manifest.
  public var item: String?
  /// How the item recognises it, if the item is in the manifest.
  public var descriptor: DescriptorLine?
  /// The device invites connections; nil from an agent that does not say.
  public var isConnectable: Bool?
  /// When it was received; nil from an agent that does not say.
  public var time: Seconds?
  /// The network's name; nil for a device.
  public var ssid: AirText?
  /// Advertising data, then scan response; empty for a network.
  public var payload: [UInt8]
  /// dBm of the last report or beacon.
  public var rssi: Int8?

  public init(discovered: UInt32, itemIndex: Int, item: String?, payload: [UInt8], rssi: Int8?) {
    self.discovered = discovered
    self.itemIndex = itemIndex
    self.item = item
    self.payload = payload
    self.rssi = rssi
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("discovered", discovered)
    json.member("itemIndex", itemIndex)
    if let item { json.member("item", item) }
    if let descriptor { json.object("descriptor", descriptor) }
    if let isConnectable { json.member("connectable", isConnectable) }
    if let time { json.member("time", time) }
    if let ssid {
      json.member("ssid", networkName: ssid)
      if let rssi { json.member("signal", rssi) }
      return
    }
    json.member("bluetoothAdvertisementData", Hex(payload))
    if let rssi { json.member("bluetoothRSSI", rssi) }
  }

  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    let ssid = try line.airTextIfPresent("ssid")
    self.init(
      discovered: try line.integer("discovered"), itemIndex: try line.integer("itemIndex"),
      item: try line.stringIfPresent("item"),
      payload: try ssid == nil ? line.bytes("bluetoothAdvertisementData") : [],
      rssi: try line.integerIfPresent(ssid == nil ? "bluetoothRSSI" : "signal"))
    self.ssid = ssid
    descriptor = try line.lineIfPresent("descriptor")
    isConnectable = try line.boolIfPresent("connectable")
    time = try line.secondsIfPresent("time")
  }
}

/// Why a request of an app failed: `Failure` of `io.accessoryd.Session`, and `ASError`. As an error of the interface, it
/// has no name: the error's own name says it.
public struct FailureLine: Equatable, ReadableLine {
  /// Characters of a text in one message; longer ones are truncated.
  private static let charactersMax = 400

  /// AccessorySetupKit's raw value.
  public var code: Int
  /// The name of the code's case; nil in the parameters of an error.
  public var name: String?
  /// The parameter with the error: `items[1].descriptor.bluetoothServiceUUID`.
  public var field: String?
  /// What is wrong.
  public var reason: String
  /// What to do.
  public var cure: String

  public init(code: Int, name: String?, field: String?, reason: String, cure: String) {
    self.code = code
    self.name = name
    self.field = field.map(Self.truncated)
    self.reason = Self.truncated(reason)
    self.cure = Self.truncated(cure)
  }

  private static func truncated(_ text: String) -> String {
    String(text.unicodeScalars.prefix(charactersMax))
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("code", code)
    if let name { json.member("name", name) }
    if let field { json.member("field", field) }
    json.member("reason", reason)
    json.member("cure", cure)
  }

  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      code: try line.integer("code"), name: try line.stringIfPresent("name"),
      field: try line.stringIfPresent("field"), reason: try line.string("reason"),
      cure: try line.string("cure"))
  }
}
