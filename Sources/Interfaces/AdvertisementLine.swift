// SPDX-License-Identifier: Apache-2.0

public import JSON

/// An advertisement of an accessory of an app: `Advertisement` of `io.accessoryd.Session`.
public struct AdvertisementLine: Equatable, ReadableLine {
  /// Why the advertisement was sent; the interface says what each means.
  public enum Event: String, CaseIterable, Sendable {
    case found, changed, lost, reading
  }

  public let sequence: UInt64
  public let epoch: String
  /// The accessory's identifier.
  public let identifier: String
  public let event: Event
  public let isInSight: Bool
  /// Whether the device invites connections; nil for one that is gone.
  public let isConnectable: Bool?
  public let time: Seconds
  /// Between the report and the reply.
  public let age: Seconds
  /// dBm of the report.
  public let rssi: Int8?
  /// The level that the gates decide on, in dBm.
  public let filteredRSSI: Int8?
  /// New frames that were left out since the last event of the accessory.
  public let skipped: UInt32
  /// Advertising data, then scan response.
  public let payload: [UInt8]

  public init(
    sequence: UInt64, epoch: String, identifier: String, event: Event, isInSight: Bool, isConnectable: Bool?,
    time: Seconds, age: Seconds, rssi: Int8?, filteredRSSI: Int8?, skipped: UInt32 = 0, payload: [UInt8]
  ) {
    self.sequence = sequence
    self.epoch = epoch
    self.identifier = identifier
    self.event = event
    self.isInSight = isInSight
    self.isConnectable = isConnectable
    self.time = time
    self.age = age
    self.rssi = rssi
    self.filteredRSSI = filteredRSSI
    self.skipped = skipped
    self.payload = payload
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("sequence", sequence)
    json.member("epoch", epoch)
    json.member("identifier", identifier)
    json.member("event", event.rawValue)
    json.member("inSight", isInSight)
    if let isConnectable { json.member("connectable", isConnectable) }
    json.member("time", time)
    json.member("age", age)
    json.member("rssi", rssi)
    json.member("filteredRSSI", filteredRSSI)
    if skipped > 0 { json.member("skipped", skipped) }
    json.member("data", Hex(payload))
  }

  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      sequence: try line.integer("sequence"), epoch: try line.string("epoch"),
      identifier: try line.string("identifier"),
      event: try line.value("event", of: Event.allCases, \.rawValue),
      isInSight: try line.bool("inSight"), isConnectable: try line.boolIfPresent("connectable"),
      time: try line.seconds("time"), age: try line.seconds("age"), rssi: try line.integerIfPresent("rssi"),
      filteredRSSI: try line.integerIfPresent("filteredRSSI"),
      skipped: try line.integerIfPresent("skipped") ?? 0, payload: try line.bytes("data"))
  }
}
