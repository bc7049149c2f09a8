// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A network in reach: a line of `sightings --networks --json` (`Config/schema/networks.schema.json`), and `Network` of
/// `io.accessoryd.Gateway`. Several radios may send one network; the line is about the strongest.
public struct NetworkLine: Equatable, ReadableLine {
  /// How a network is protected; the interface says what each means.
  public enum Security: String, CaseIterable, Sendable {
    case open, owe, wep, wpa, wpa2, wpa3, enterprise, other
  }

  /// An item that the network's name matches.
  public struct Item: Equatable, Sendable {
    public let app: String
    public let id: String
    /// The item has found the network: its name matches, and it is not lost.
    public let isFound: Bool

    public init(app: String, id: String, isFound: Bool) {
      self.app = app
      self.id = id
      self.isFound = isFound
    }
  }

  public let ssid: AirText
  /// The address of the strongest radio, in lower-case hexadecimal digits with colons.
  public let bssid: String
  /// How many radios send the network.
  public let radioCount: Int
  /// dBm of the last beacon; nil when the interface does not say.
  public let signal: Int8?
  /// MHz; nil when the interface does not say.
  public let frequency: UInt32?
  public let security: Security
  public let lastSeen: Seconds
  public let silence: Seconds
  public let items: [Item]

  public init(
    ssid: AirText, bssid: String, radioCount: Int, signal: Int8?, frequency: UInt32?, security: Security,
    lastSeen: Seconds, silence: Seconds, items: [Item]
  ) {
    self.ssid = ssid
    self.bssid = bssid
    self.radioCount = radioCount
    self.signal = signal
    self.frequency = frequency
    self.security = security
    self.lastSeen = lastSeen
    self.silence = silence
    self.items = items
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("ssid", networkName: ssid)
    json.member("bssid", bssid)
    json.member("radios", radioCount)
    json.member("signal", signal)
    json.member("frequency", frequency)
    json.member("security", security.rawValue)
    json.member("lastSeen", lastSeen)
    json.member("silence", silence)
    json.objects("items", items) { json, item in
      json.member("app", item.app)
      json.member("item", item.id)
      json.member("isFound", item.isFound)
    }
  }

  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    var items: [Item] = []
    for item in try line.objects("items") {
      items.append(
        Item(app: try item.string("app"), id: try item.string("item"), isFound: try item.bool("isFound")))
    }
    self.init(
      ssid: try line.airText("ssid"), bssid: try line.string("bssid"), radioCount: try line.integer("radios"),
      signal: try line.integerIfPresent("signal"), frequency: try line.integerIfPresent("frequency"),
      security: try line.value("security", of: Security.allCases, \.rawValue),
      lastSeen: try line.seconds("lastSeen"), silence: try line.seconds("silence"), items: items)
  }
}
