// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import JSON
import Manifest

/// A sighting event as a watcher received it.
struct SeenEvent: Equatable, CustomStringConvertible {
  enum Kind: String { case found, changed, lost }
  enum Reason: String {
    case matched, entered, payload, silence, left, noLongerMatches, evicted, radioDown, reload
  }

  var sequence: UInt64
  /// Microseconds since the agent started.
  var time: Int64
  var kind: Kind
  var reason: Reason
  var app: String
  var item: String
  var address: String
  var rssi: Int?
  var filteredRSSI: Int?
  var samples: Int
  var data: [UInt8]

  /// Nil when a member is missing or of another type.
  init?(_ object: JSONObject) {
    guard let sequence = object.number("sequence"), let time = object.microseconds("time"),
      let kind = object.text("event").flatMap(Kind.init), let app = object.text("app"),
      let reason = object.text("reason").flatMap(Reason.init), let item = object.text("item"),
      let address = object.text("address"), let type = object.text("addressType"),
      let samples = object.number("samples"),
      let data = object.text("data").flatMap({ Hex(digits: $0)?.bytes })
    else { return nil }
    self.sequence = UInt64(sequence)
    (self.time, self.kind, self.reason, self.app, self.item) = (time, kind, reason, app, item)
    self.address = "\(address) \(type)"
    rssi = object.number("rssi").map { Int($0) }
    filteredRSSI = object.number("filteredRSSI").map { Int($0) }
    (self.samples, self.data) = (Int(samples), data)
  }

  var description: String {
    "event \(sequence) (\(kind) \(subject) at \(time) µs, \(reason), RSSI \(rssi.map(String.init) ?? "none"), "
      + "filtered \(filteredRSSI.map(String.init) ?? "none") of \(samples))"
  }

  var subject: Subject { Subject(app: app, item: item, address: address) }
}

/// The app, item and device that an event is about.
struct Subject: Hashable, CustomStringConvertible {
  var app: String
  var item: String
  var address: String

  var description: String { "\(app)/\(item) \(address)" }
}

extension JSONObject {
  func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  func number(_ name: String) -> Int64? {
    if case .integer(let number)? = self[name] { number } else { nil }
  }

  func object(_ name: String) -> JSONObject? {
    if case .object(let object)? = self[name] { object } else { nil }
  }

  func bool(_ name: String) -> Bool? {
    if case .bool(let value)? = self[name] { value } else { nil }
  }

  /// Seconds with six decimals.
  func microseconds(_ name: String) -> Int64? {
    switch self[name] {
    case .integer(let seconds)?: seconds * 1_000_000
    case .double(let seconds)?: Int64((seconds * 1_000_000).rounded())
    case .null?, .bool?, .string?, .array?, .object?, nil: nil
    }
  }
}
