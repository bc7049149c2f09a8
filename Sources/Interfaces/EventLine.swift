// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A sighting event with its item's names and its payload: a line of `replay --json`
/// (`Config/schema/replay.schema.json`), and an event of `io.accessoryd.Gateway`.
public struct EventLine: Equatable, Line {
  public enum Event: String, CaseIterable, Sendable {
    case found, changed, lost
  }

  /// Why the event happened; the interface says what each means.
  public enum Reason: String, CaseIterable, Sendable {
    case matched, entered, payload, silence, left, noLongerMatches, evicted, radioDown, reload
  }

  public let sequence: UInt64
  /// Identifies the run of the agent that numbered the event; nil in a replay.
  public var epoch: String?
  /// Since the capture's first record, or since the agent started.
  public let time: Seconds
  public let event: Event
  public let app: String
  /// The item's id, unique in its app.
  public let item: String
  public let address: WireAddress
  public let rssi: Int8?
  public let filteredRSSI: Int8?
  public let pathLoss: Int16?
  public let samples: UInt16
  public let reason: Reason
  /// Latest advertising data, then latest scan response.
  public let payload: [UInt8]

  public init(
    sequence: UInt64, epoch: String?, time: Seconds, event: Event, app: String, item: String,
    address: WireAddress, rssi: Int8?, filteredRSSI: Int8?, pathLoss: Int16?, samples: UInt16, reason: Reason,
    payload: [UInt8]
  ) {
    self.sequence = sequence
    self.epoch = epoch
    self.time = time
    self.event = event
    self.app = app
    self.item = item
    self.address = address
    self.rssi = rssi
    self.filteredRSSI = filteredRSSI
    self.pathLoss = pathLoss
    self.samples = samples
    self.reason = reason
    self.payload = payload
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("sequence", sequence)
    if let epoch { json.member("epoch", epoch) }
    json.member("time", time)
    json.member("event", event.rawValue)
    json.member("app", app)
    json.member("item", item)
    json.members(address)
    json.member("rssi", rssi)
    json.member("filteredRSSI", filteredRSSI)
    json.member("pathLoss", pathLoss)
    json.member("samples", samples)
    json.member("reason", reason.rawValue)
    json.member("data", Hex(payload))
  }
}

extension EventLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      sequence: try line.integer("sequence"), epoch: try line.stringIfPresent("epoch"),
      time: try line.seconds("time"),
      event: try line.value("event", of: Event.allCases, \.rawValue), app: try line.string("app"),
      item: try line.string("item"), address: try line.address(), rssi: try line.integerIfPresent("rssi"),
      filteredRSSI: try line.integerIfPresent("filteredRSSI"),
      pathLoss: try line.integerIfPresent("pathLoss"),
      samples: try line.integer("samples"),
      reason: try line.value("reason", of: Reason.allCases, \.rawValue),
      payload: try line.bytes("data"))
  }
}
