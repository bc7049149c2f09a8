// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery
public import HCI
public import Interfaces
public import JSON

/// A device in sight: a line of `sightings --json` (`Config/schema/sightings.schema.json`), and a device of
/// `io.accessoryd.Gateway`.
public struct DeviceLine: Equatable, Line {
  /// An item that matches the device.
  public struct Item: Equatable, Sendable {
    public let app: String
    public let id: String
    public let presence: Presence

    public var isFound: Bool { presence.isFound }
  }

  public let address: DeviceAddress
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

  public func writeMembers(to json: inout JSONWriter) {
    json.member("address", address.text)
    json.member("addressType", address.type.text)
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
      json.member("presence", item.presence.text)
    }
    json.member("data", Hex(payload))
  }

  /// Above the lines of ``text(_:)``.
  public static let textHeader = "    dBm  address            reports    silent  name, items\n"

  /// One line for people; items that have not found the device stand in parentheses.
  public func text(_ style: TextStyle = .plain) -> String {
    let level = (filteredRSSI.map { "\($0)" } ?? "-").paddedLeft(to: 7)
    let address = style.strong((address.text ?? "(anonymous)").padded(to: 17))
    let reports = "\(reportCount)".paddedLeft(to: 8)
    let silent = "\(silence.text(decimals: 1)) s".paddedLeft(to: 10)
    var words = name.map { [$0.terminal(columnsMax: 30)] } ?? []
    words += items.map { item in
      let id = AirText(Array("\(item.app)/\(item.id)".utf8)).escaped()
      return item.isFound ? id : "(\(id))"
    }
    let heard = "\(level)  \(address) \(reports)\(silent)"
    guard !words.isEmpty else { return heard + "\n" }
    var rows = TextRows(indent: Self.wordsColumn, labelColumnCount: 0)
    rows.row("", words)
    return "\(heard)  \(rows.text.dropFirst(Self.wordsColumn))"
  }

  /// Where names and items start.
  private static let wordsColumn = 47
}

extension DeviceLine {
  public init(_ view: DeviceView) {
    let device = view.device
    address = view.address
    name = view.name?.text
    rssi = device.rssi >= -127 && device.rssi <= 20 ? device.rssi : nil
    filteredRSSI = device.signal.filteredRSSI
    reportCount = device.reportCount
    firstSeen = Seconds(microseconds: device.firstSeen.microseconds)
    lastSeen = Seconds(microseconds: device.lastSeen.microseconds)
    silence = view.silence
    intervalMilliseconds = device.signal.learnedMilliseconds
    items = view.matches.map { Item(app: $0.app, id: $0.id, presence: $0.match.presence) }
    payload = view.payloads.first.map { $0.data + $0.response } ?? []
  }
}

extension DeviceLine {
  /// Strongest first, without a reading last, then by address.
  public static func areStrongestFirst(_ one: DeviceLine, _ other: DeviceLine) -> Bool {
    one.order < other.order
  }

  private var order: (Int, UInt64, UInt8) {
    (filteredRSSI.map { -Int($0) } ?? .max, address.bits, address.type.rawValue)
  }
}
