// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A device in sight: a line of `sightings --json` (`Config/schema/sightings.schema.json`), and a device of
/// `io.accessoryd.Gateway`.
public struct DeviceLine: Equatable, Line {
  /// Where an item stands with a device.
  public enum Presence: String, CaseIterable, Sendable {
    /// The item has not found the device.
    case outside
    /// The signal is strong enough, but not yet for long enough.
    case approaching
    case inside
    /// The item has found the device, and the signal has become too weak.
    case leaving

    public var isFound: Bool { self == .inside || self == .leaving }
  }

  /// An item that matches the device.
  public struct Item: Equatable, Sendable {
    public let app: String
    public let id: String
    public let presence: Presence
    /// How often the item found the device in a recording; nil for what is true now.
    public let history: FoundHistory?

    public init(app: String, id: String, presence: Presence, history: FoundHistory? = nil) {
      self.app = app
      self.id = id
      self.presence = presence
      self.history = history
    }

    /// In a recording: whether the item ever found the device.
    public var isFound: Bool { history.map { $0.count > 0 } ?? presence.isFound }
  }

  public let address: WireAddress
  public let name: AirText?
  /// dBm of the last report; nil when it had none.
  public let rssi: Int8?
  public let filteredRSSI: Int8?
  public let reportCount: UInt32
  public let firstSeen: Seconds
  public let lastSeen: Seconds
  public let silence: Seconds
  public let intervalMilliseconds: UInt32?
  public let items: [Item]
  /// Latest advertising data, then latest scan response, of the advertising set heard last.
  public let payload: [UInt8]

  public init(
    address: WireAddress, name: AirText?, rssi: Int8?, filteredRSSI: Int8?, reportCount: UInt32,
    firstSeen: Seconds, lastSeen: Seconds, silence: Seconds, intervalMilliseconds: UInt32?, items: [Item],
    payload: [UInt8]
  ) {
    self.address = address
    self.name = name
    self.rssi = rssi
    self.filteredRSSI = filteredRSSI
    self.reportCount = reportCount
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
    self.silence = silence
    self.intervalMilliseconds = intervalMilliseconds
    self.items = items
    self.payload = payload
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.members(address)
    if let name { json.member("name", name) }
    json.member("rssi", rssi)
    json.member("filteredRSSI", filteredRSSI)
    json.member("reports", reportCount)
    json.member("firstSeen", firstSeen)
    json.member("lastSeen", lastSeen)
    json.member("silence", silence)
    json.member("intervalMilliseconds", intervalMilliseconds)
    json.objects("items", items) { json, item in
      json.member("app", item.app)
      json.member("item", item.id)
      json.member("isFound", item.isFound)
      json.member("presence", item.presence.rawValue)
      if let history = item.history { json.object("history", history) }
    }
    json.member("data", Hex(payload))
  }
}

extension DeviceLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    var items: [Item] = []
    for item in try line.objects("items") {
      let presence = try item.value("presence", of: Presence.allCases, \.rawValue)
      items.append(
        Item(
          app: try item.string("app"), id: try item.string("item"), presence: presence,
          history: try item.lineIfPresent("history")))
    }
    self.init(
      address: try line.address(), name: try line.airTextIfPresent("name"),
      rssi: try line.integerIfPresent("rssi"),
      filteredRSSI: try line.integerIfPresent("filteredRSSI"), reportCount: try line.integer("reports"),
      firstSeen: try line.seconds("firstSeen"), lastSeen: try line.seconds("lastSeen"),
      silence: try line.seconds("silence"),
      intervalMilliseconds: try line.integerIfPresent("intervalMilliseconds"), items: items,
      payload: try line.bytes("data"))
  }
}
