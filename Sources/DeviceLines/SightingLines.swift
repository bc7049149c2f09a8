// SPDX-License-Identifier: GPL-3.0-or-later

public import Discovery
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
      responseBytes: view.payloads.first.flatMap { $0.response.isEmpty ? nil : $0.response.count },
      values: view.values)
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

  /// How often each item lost a device while it sent other frames, by the item's index; as far as the events go back.
  public func lossesToOtherFrames(of address: DeviceAddress) -> [Int32: Int] {
    var losses: [Int32: Int] = [:]
    var cursor = EventCursor(epoch: pipeline.events.epoch, sequence: pipeline.events.oldest)
    while case .event(_, let sighting, _) = pipeline.events.read(&cursor) {
      guard sighting.address == address, sighting.event == .lost, sighting.reason == .noLongerMatches else {
        continue
      }
      losses[sighting.item, default: 0] += 1
    }
    return losses
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
      skipped: sighting.skipped, data: data, values: ValueLine.lines(of: [data]))
  }
}

extension ItemStateLine {
  /// Where an item has a device of the tables.
  public init(
    _ dataPath: borrowing ManifestDataPath, _ view: DeviceView, item index: Int, lossesToOtherFrames: Int = 0
  ) {
    let match = view.matches.first { $0.item == index }?.match
    let item = dataPath.items[index]
    self.init(
      app: item.app, item: item.item.id, presence: match?.presence, lossesToOtherFrames: lossesToOtherFrames,
      gate: GateLine(dataPath, view, item: index, match))
  }
}

extension GateLine {
  fileprivate init(
    _ dataPath: borrowing ManifestDataPath, _ view: DeviceView, item: Int, _ match: Match?
  ) {
    let signal = view.device.signal
    let settings = dataPath.pipeline.gate(ofItem: item)
    let reading = dataPath.pipeline.gateReading(at: view.row, item: item)
    let now = Instant(microseconds: view.now.microseconds)
    self.init(
      range: settings.isImmediate ? .immediate : .default,
      filteredRSSI: reading.level.map { Decibels(sixteenths: Int($0)) },
      pathLoss: dataPath.pipeline.pathLoss(at: view.row, item: item), samples: signal.readingCount,
      reports: Int(view.device.reportCount),
      learnedIntervalMilliseconds: signal.learnedMilliseconds.map(Int.init),
      rhythmMilliseconds: view.device.rhythmMilliseconds,
      silenceMilliseconds: Int(now.milliseconds(since: view.device.lastSeen)),
      lostMilliseconds: Int(
        settings.isImmediate
          ? signal.patience(
            floor: settings.silenceMilliseconds, factor: Int64(settings.patienceFactor),
            ceiling: settings.silenceMillisecondsMax) : view.device.patience(settings)))
    guard settings.isImmediate else { return }
    enterRSSI = Decibels(sixteenths: reading.enter)
    leaveRSSI = Decibels(sixteenths: reading.leave)
    samplesInWindow = reading.samples
    samplesMin = reading.samplesMin
    windowMilliseconds = Int(reading.windowMilliseconds)
    stateMilliseconds = match.map { Int(now.milliseconds(since: $0.since)) }
    enterDwellMilliseconds = Int(reading.enterDwellMilliseconds)
    leaveDwellMilliseconds = Int(reading.leaveDwellMilliseconds)
  }
}
