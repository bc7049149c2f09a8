// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
public import Interfaces
public import Manifest

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

extension ManifestDataPath {
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
