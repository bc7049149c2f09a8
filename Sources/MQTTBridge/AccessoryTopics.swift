// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerFeed
import Interfaces
import JSON
import SensorFormats
import Values

/// What the broker is to have of an accessory, and when the next change of it is due.
struct AccessoryTopics: Sendable {
  /// The shortest time between two states.
  static let statePause = Duration.seconds(2)

  var line: AccessoryLine
  /// The level of the latest event, which is newer than that of the list.
  var level: Int8?
  private var readings = AccessoryReadings()
  private(set) var isStateDirty = true
  private var stateTime: Duration?

  init(_ line: AccessoryLine) {
    self.line = line
    readings.note(line.values)
  }

  /// The latest value of each name.
  var values: [SensorValue] { readings.values }

  mutating func update(_ line: AccessoryLine) {
    self.line = line
    isStateDirty = true
    readings.note(line.values)
  }

  /// Takes what an event, or a device that was found before, says.
  mutating func note(level: Int8?, isInSight: Bool, data: [UInt8]) {
    self.level = level ?? self.level
    line.isInSight = isInSight
    isStateDirty = true
    readings.note(data)
  }

  /// Everything is to be published again, under other topics or with other content.
  mutating func renew() {
    (isStateDirty, stateTime) = (true, nil)
    readings.renew()
  }

  /// Whether the state is to be published now.
  func isStateDue(at now: Duration) -> Bool {
    isStateDirty && stateTime.map { $0 + Self.statePause <= now } ?? true
  }

  func areValuesDue(at now: Duration, pause: Duration) -> Bool {
    readings.isDue(at: now, pause: pause)
  }

  mutating func stateWasPublished(at now: Duration) { (isStateDirty, stateTime) = (false, now) }
  mutating func valuesWerePublished(at now: Duration) { readings.werePublished(at: now) }

  /// When the next change is due; nil for none.
  func deadline(pause: Duration) -> Duration? {
    let state = isStateDirty ? stateTime.map { $0 + Self.statePause } ?? .zero : nil
    return [state, readings.deadline(pause: pause)].compactMap { $0 }.min()
  }

  func state(showsAddresses: Bool) -> [UInt8] {
    let level = line.isInSight ? self.level ?? line.filteredRSSI : nil
    return JSONText.object(keepsNull: true) { json in
      json.member("displayName", line.displayName)
      json.member("app", line.app)
      json.member("item", line.item)
      json.member("state", line.state.rawValue)
      json.member("bond", line.bond.rawValue)
      json.member("isInSight", line.isInSight)
      json.member("filteredRSSI", level)
      if showsAddresses { json.member("address", line.address?.text) }
    }
  }

  var valuesPayload: [UInt8] { JSONText.object { json in AccessoryReadings.write(values, to: &json) } }
}
