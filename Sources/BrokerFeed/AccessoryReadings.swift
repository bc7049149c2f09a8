// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces
public import JSON
public import SensorFormats

/// The latest readings of an accessory, and when a change of them is due. Capacity: a value for each name that the formats
/// know.
public struct AccessoryReadings: Sendable {
  public private(set) var values: [SensorValue] = []
  private var isDirty = false
  private var time: Duration?

  public init() {}

  /// Takes what an advertisement says.
  public mutating func note(_ data: [UInt8]) {
    for value in SensorPayload(data).values where value.isState {
      isDirty = true
      if let index = values.firstIndex(where: { $0.name == value.name }) {
        values[index] = value
      } else {
        values.append(value)
      }
    }
  }

  /// Takes what the agent has of values that no advertisement has said: of a frame, for example, that was known before the
  /// device was found, and that makes no event.
  public mutating func note(_ lines: [ValueLine]) {
    for value in lines.compactMap(\.value)
    where value.isState && !values.contains(where: { $0.name == value.name }) {
      values.append(value)
      isDirty = true
    }
  }

  /// They are to be published again.
  public mutating func renew() { (isDirty, time) = (!values.isEmpty, nil) }

  public func isDue(at now: Duration, pause: Duration) -> Bool {
    isDirty && time.map { $0 + pause <= now } ?? true
  }

  /// When a change is due; nil for none.
  public func deadline(pause: Duration) -> Duration? { isDirty ? time.map { $0 + pause } ?? .zero : nil }

  public mutating func werePublished(at now: Duration) { (isDirty, time) = (false, now) }

  /// Values as members, each by its name.
  public static func write(_ values: [SensorValue], to json: inout JSONWriter) {
    for value in values {
      switch value.content {
      case .number(let number): json.member(value.name, number)
      case .flag(let isSet): json.member(value.name, isSet)
      case .text(let text), .event(let text): json.member(value.name, text)
      }
    }
  }
}

extension SensorValue {
  fileprivate var isState: Bool { if case .event = content { false } else { true } }
}
