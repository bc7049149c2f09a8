// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery
public import HCI
public import Interfaces
public import JSON
public import Manifest

/// A sighting event with its item's names and its payload: a line of `replay --json`
/// (`Config/schema/replay.schema.json`), and an event of `io.accessoryd.Gateway`.
public struct EventLine: Equatable, Line {
  public let sequence: UInt64
  /// Identifies the run of the agent that numbered the event; nil in a replay.
  public var epoch: String?
  /// Since the capture's first record, or since the agent started.
  public let time: Seconds
  public let event: SightingEvent
  public let app: String
  /// The item's id, unique in its app.
  public let item: String
  public let address: DeviceAddress
  public let rssi: Int8?
  public let filteredRSSI: Int8?
  public let pathLoss: Int16?
  public let samples: UInt16
  public let reason: SightingReason
  /// Latest advertising data, then latest scan response.
  public let payload: [UInt8]

  public func writeMembers(to json: inout JSONWriter) {
    json.member("sequence", sequence)
    if let epoch { json.member("epoch", epoch) }
    json.member("time", time)
    json.member("event", event.text)
    json.member("app", app)
    json.member("item", item)
    json.member("address", address.text)
    json.member("addressType", address.type.text)
    json.member("rssi", rssi)
    json.member("filteredRSSI", filteredRSSI)
    json.member("pathLoss", pathLoss)
    json.member("samples", samples)
    json.member("reason", reason.text)
    json.member("data", Hex(payload))
  }

  /// One line for people. `clock` says when, or else the event's own time.
  public func text(_ style: TextStyle = .plain, clock: String? = nil) -> String {
    let word = event.text.padded(to: 8)
    let colored =
      switch event {
      case .found: style.good(word)
      case .changed: word
      case .lost: style.bad(word)
      }
    return Self.text(
      clock: clock ?? time.text(decimals: 3), colored, app, item, address, filteredRSSI, reason.text)
  }

  /// The columns of a line.
  static func text(
    clock: String, _ word: String, _ app: String, _ item: String, _ address: DeviceAddress, _ level: Int8?,
    _ reason: String
  ) -> String {
    let name = AirText(Array("\(app)/\(item)".utf8)).escaped(columnsMax: 24).padded(to: 19)
    let address = (address.text ?? "(anonymous)").padded(to: 17)
    let place = "\(level.map { "\($0)" } ?? "-")".paddedLeft(to: 5) + " dBm"
    return "\(clock.paddedLeft(to: 9)) \(word) \(name) \(address)\(place)  \(reason)\n"
  }
}

extension DeviceLine {
  /// As a line among those of events, one for each item that has found the device.
  public func presentText(_ style: TextStyle = .plain, clock: String, where isWanted: (Item) -> Bool)
    -> String
  {
    items.filter { $0.isFound && isWanted($0) }.map { item in
      EventLine.text(
        clock: clock, style.good("present".padded(to: 8)), item.app, item.id, address, filteredRSSI,
        item.presence.text)
    }.joined()
  }
}

extension EventLine {
  public init(
    sequence: UInt64, epoch: String? = nil, sighting: Sighting, item: ManifestItem, payload: [UInt8]
  ) {
    self.sequence = sequence
    self.epoch = epoch
    time = Seconds(microseconds: sighting.time.microseconds)
    event = sighting.event
    app = item.app
    self.item = item.item.id
    address = sighting.address
    rssi = sighting.rssi
    filteredRSSI = sighting.filteredRSSI
    pathLoss = sighting.pathLoss
    samples = sighting.samples
    reason = sighting.reason
    self.payload = payload
  }
}

extension SightingEvent {
  public var text: String {
    switch self {
    case .found: "found"
    case .changed: "changed"
    case .lost: "lost"
    }
  }
}

extension SightingReason {
  public var text: String {
    switch self {
    case .matched: "matched"
    case .entered: "entered"
    case .payload: "payload"
    case .silence: "silence"
    case .left: "left"
    case .noLongerMatches: "noLongerMatches"
    case .evicted: "evicted"
    case .radioDown: "radioDown"
    case .reload: "reload"
    }
  }
}
