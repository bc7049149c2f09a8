// SPDX-License-Identifier: GPL-3.0-or-later

public import AgentCore
public import Discovery
import HCI
public import JSON

/// A sighting event of a replay, with its item's names and its payload.
public struct ReplayEvent: Sendable {
  public let sequence: UInt64
  /// Since the capture's first record.
  public let time: Seconds
  public let sighting: Sighting
  public let app: String
  /// The item's id, unique in its app.
  public let item: String
  /// Latest advertising data, then latest scan response.
  public let payload: [UInt8]

  public init(sequence: UInt64, sighting: Sighting, item: ManifestItem, payload: [UInt8]) {
    self.sequence = sequence
    self.sighting = sighting
    self.payload = payload
    time = Seconds(microseconds: sighting.time.microseconds)
    app = item.app
    self.item = item.item.id
  }

  /// The line of `replay --json` (`Config/schema/replay.schema.json`).
  public func write(to json: inout JSONWriter) {
    json.line { json in
      json.member("sequence", sequence)
      json.member("time", time)
      json.member("event", sighting.event.text)
      json.member("app", app)
      json.member("item", item)
      json.member("address", sighting.address.text)
      json.member("addressType", sighting.address.type.text)
      json.member("rssi", sighting.rssi)
      json.member("filteredRSSI", sighting.filteredRSSI)
      json.member("pathLoss", sighting.pathLoss)
      json.member("samples", sighting.samples)
      json.member("reason", sighting.reason.text)
      json.member("data", Hex(payload))
    }
  }

  /// One line for people.
  public func text(_ style: TextStyle = .plain) -> String {
    let word = sighting.event.text.padded(to: 8)
    let colored =
      switch sighting.event {
      case .found: style.good(word)
      case .changed: word
      case .lost: style.bad(word)
      }
    let name = AirText(Array("\(app)/\(item)".utf8)).escaped(columnsMax: 24).padded(to: 19)
    let address = (sighting.address.text ?? "(anonymous)").padded(to: 17)
    let level = sighting.filteredRSSI.map { "\($0)" } ?? "-"
    let place = "\(level.paddedLeft(to: 5)) dBm"
    return "\(time.text(decimals: 3).paddedLeft(to: 9)) \(colored) \(name) \(address)\(place)  "
      + sighting.reason.text + "\n"
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
