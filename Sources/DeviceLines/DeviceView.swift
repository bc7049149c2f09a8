// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery
public import HCI
public import Interfaces
public import Manifest

/// One device as the tables have it now, copied.
public struct DeviceView: Sendable {
  /// An item that matches the device.
  public struct ItemMatch: Sendable {
    public let item: Int
    public let app: String
    public let id: String
    public let match: Match
  }

  public let row: Int
  public let device: Device
  /// The address that events give: an identity when a key resolved it.
  public let address: DeviceAddress
  /// When the tables were looked at.
  public let now: Seconds
  public let matches: [ItemMatch]
  /// Advertising data and scan response of each advertising set, or of each frame; the one heard last first.
  public private(set) var payloads: [(data: [UInt8], response: [UInt8])]
  /// Whether ``payloads`` are every different frame that was received, not the latest of each advertising set.
  public private(set) var hasEveryFrame = false

  init?(_ pipeline: borrowing Pipeline, items: [ManifestItem], row: Int) {
    guard let device = pipeline.device(at: row) else { return nil }
    self.row = row
    self.device = device
    address = pipeline.address(at: row)
    now = Seconds(microseconds: pipeline.now?.microseconds ?? 0)
    var matches: [ItemMatch] = []
    for place in 0..<Int(device.matchCount) {
      let match = pipeline.match(place, at: row)
      let item = items[Int(match.item)]
      matches.append(ItemMatch(item: Int(match.item), app: item.app, id: item.item.id, match: match))
    }
    self.matches = matches
    var payloads: [(data: [UInt8], response: [UInt8])] = []
    for set in 0..<pipeline.setCount(at: row) {
      let data = pipeline.data(ofSet: set, at: row).copied
      payloads.append((data, pipeline.response(ofSet: set, at: row).copied))
    }
    self.payloads = payloads
  }

  /// The name it gave last; a complete one before a shortened one. An empty one is none.
  public var name: AdvertisementFields.Name? {
    let names = payloads.flatMap { [$0.data, $0.response] }
      .compactMap { AdvertisementFields($0.span.rawBytes).name }.filter { !$0.text.bytes.isEmpty }
    return names.first(where: \.isComplete) ?? names.first
  }

  /// What it says in open formats, in all of its frames.
  public var values: [ValueLine] { ValueLine.lines(of: payloads.map { $0.data + $0.response }) }

  /// The device with every frame that was received from it, instead of those that it sent last; the newest one first.
  public func withEvery(frame frames: [(data: [UInt8], response: [UInt8])]) -> DeviceView {
    guard !frames.isEmpty else { return self }
    var view = self
    (view.payloads, view.hasEveryFrame) = (frames, true)
    return view
  }

  /// Since the device was last heard.
  public var silence: Seconds {
    Seconds(microseconds: now.microseconds &- device.lastSeen.microseconds)
  }
}

extension EventRing {
  /// The payload of an event that is still there.
  public func payload(of sequence: UInt64, byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { payloadByte(of: sequence, at: $0) }
  }
}

extension ManifestDataPath {
  /// The device in a row of the table (``Pipeline/rowCount``); nil while the row is free.
  public func device(atRow row: Int) -> DeviceView? { DeviceView(pipeline, items: items, row: row) }

  /// The rows that hold devices.
  public var liveRows: [Int] {
    var rows: [Int] = []
    path.pipeline.forEachDevice { row, _ in rows.append(row) }
    return rows
  }
}
