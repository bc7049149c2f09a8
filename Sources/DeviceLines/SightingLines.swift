// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery
import HCI
public import Interfaces
public import Manifest

// Devices and events of the tables as the lines that carry them.

extension DeviceLine {
  public init(_ view: DeviceView) {
    self.init(
      view, items: view.matches.map { Item(app: $0.app, item: $0.id, presence: $0.match.presence) })
  }

  package init(_ view: DeviceView, items: [Item]) {
    let device = view.device
    self.init(
      address: view.address, name: view.name?.text,
      rssi: device.rssi >= -127 && device.rssi <= 20 ? device.rssi : nil,
      filteredRSSI: device.signal.filteredRSSI, reports: device.reportCount,
      firstSeen: Seconds(microseconds: device.firstSeen.microseconds),
      lastSeen: Seconds(microseconds: device.lastSeen.microseconds), silence: view.silence,
      intervalMilliseconds: device.signal.learnedMilliseconds, rhythmMilliseconds: device.rhythmMilliseconds,
      items: items, data: view.payloads.first.map { $0.data + $0.response } ?? [],
      responseBytes: view.payloads.first.flatMap { $0.response.isEmpty ? nil : $0.response.count })
  }

  /// The two parts of ``data``.
  public var payload: (data: [UInt8], response: [UInt8]) {
    let response = responseBytes ?? 0
    return (Array(data.dropLast(response)), Array(data.suffix(response)))
  }
}

extension DeviceLine.Item {
  /// `history` says how often the item found the device in a recording.
  public init(app: String, item: String, presence: Presence, history: FoundHistory? = nil) {
    let isFound = history.map { $0.count > 0 } ?? presence.isFound
    self.init(app: app, item: item, isFound: isFound, presence: presence, history: history)
  }
}

extension ManifestDataPath {
  /// The items that have turned away devices in sight, those with most devices first.
  public var turnedAwayLines: [TurnedAwayLine] {
    let counts = pipeline.turnedAwayCounts(items: items.count)
    let full = counts.indices.filter { counts[$0] > 0 }.sorted { (counts[$1], $0) < (counts[$0], $1) }
    return full.map { TurnedAwayLine(app: items[$0].app, item: items[$0].item.id, devices: counts[$0]) }
  }
}

extension EventLine {
  public init(
    sequence: UInt64, epoch: String = "", sighting: Sighting, item: ManifestItem, data: [UInt8]
  ) {
    self.init(
      sequence: sequence, epoch: epoch, time: Seconds(microseconds: sighting.time.microseconds),
      event: sighting.event, app: item.app, item: item.item.id,
      address: sighting.address, rssi: sighting.rssi, filteredRSSI: sighting.filteredRSSI,
      pathLoss: sighting.pathLoss, samples: sighting.samples, reason: sighting.reason,
      skipped: sighting.skipped, data: data)
  }
}
