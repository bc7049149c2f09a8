// SPDX-License-Identifier: GPL-3.0-or-later

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
  /// The latest value of each name.
  private(set) var values: [SensorValue] = []
  private(set) var isStateDirty = true
  private(set) var areValuesDirty = false
  private var stateTime: Duration?
  private var valuesTime: Duration?

  init(_ line: AccessoryLine) { self.line = line }

  mutating func update(_ line: AccessoryLine) {
    self.line = line
    isStateDirty = true
  }

  /// Takes what an event, or a device that was found before, says.
  mutating func note(level: Int8?, isInSight: Bool, data: [UInt8]) {
    self.level = level ?? self.level
    line.isInSight = isInSight
    isStateDirty = true
    for value in SensorPayload(data).values {
      if case .event = value.content { continue }
      areValuesDirty = true
      if let index = values.firstIndex(where: { $0.name == value.name }) {
        values[index] = value
      } else {
        values.append(value)
      }
    }
  }

  /// Everything is to be published again, under other topics or with other content.
  mutating func renew() {
    (isStateDirty, stateTime) = (true, nil)
    (areValuesDirty, valuesTime) = (!values.isEmpty, nil)
  }

  /// Whether the state is to be published now.
  func isStateDue(at now: Duration) -> Bool {
    isStateDirty && stateTime.map { $0 + Self.statePause <= now } ?? true
  }

  func areValuesDue(at now: Duration, pause: Duration) -> Bool {
    areValuesDirty && valuesTime.map { $0 + pause <= now } ?? true
  }

  mutating func stateWasPublished(at now: Duration) { (isStateDirty, stateTime) = (false, now) }
  mutating func valuesWerePublished(at now: Duration) { (areValuesDirty, valuesTime) = (false, now) }

  /// When the next change is due; nil for none.
  func deadline(pause: Duration) -> Duration? {
    let state = isStateDirty ? stateTime.map { $0 + Self.statePause } ?? .zero : nil
    let values = areValuesDirty ? valuesTime.map { $0 + pause } ?? .zero : nil
    return [state, values].compactMap { $0 }.min()
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

  var valuesPayload: [UInt8] { JSONText.object { json in Self.write(values, to: &json) } }

  /// Values as members, each by its name.
  static func write(_ values: [SensorValue], to json: inout JSONWriter) {
    for value in values {
      switch value.content {
      case .number(let number): json.member(value.name, JSONNumber(text: number.description))
      case .flag(let isSet): json.member(value.name, isSet)
      case .text(let text), .event(let text): json.member(value.name, text)
      }
    }
  }
}

/// A number as its digits.
private struct JSONNumber: JSONEncodable {
  let text: String
  func write(to json: inout JSONWriter) { json.literal(text) }
}
