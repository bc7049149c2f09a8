// SPDX-License-Identifier: Apache-2.0

public import JSON

/// How often an item found a device in a recording, and when: times since its start.
public struct FoundHistory: Equatable, ReadableLine {
  /// From finding the device to losing it.
  public struct Interval: Equatable, Sendable {
    public let start: Seconds
    /// nil when the recording ended first.
    public internal(set) var end: Seconds?
  }

  public private(set) var count = 0
  public private(set) var first: Interval?
  public private(set) var last: Interval?

  public init() {}

  /// The item found the device.
  public mutating func addFinding(at time: Seconds) {
    count += 1
    last = Interval(start: time)
    if count == 1 { first = last }
  }

  /// The item lost the device.
  public mutating func addLoss(at time: Seconds) {
    last?.end = time
    if count == 1 { first = last }
  }

  /// `found 5 times, first 3.388–13.130 s`; `verb` is what an item does: `found` or `let in`.
  public func sentence(_ verb: String) -> String? {
    guard let first else { return nil }
    let times = count == 1 ? "once" : "\(count) times, first"
    let start = first.start.text(decimals: 3)
    guard let end = first.end else { return "\(verb) \(times) from \(start) s to the end" }
    return "\(verb) \(times)\(count == 1 ? "," : "") \(start)–\(end.text(decimals: 3)) s"
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("count", count)
    json.member("firstFound", first?.start)
    json.member("firstLost", first?.end)
    json.member("lastFound", last?.start)
    json.member("lastLost", last?.end)
  }

  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    count = try line.integer("count")
    if let start = try line.secondsIfPresent("firstFound") {
      first = Interval(start: start, end: try line.secondsIfPresent("firstLost"))
    }
    if let start = try line.secondsIfPresent("lastFound") {
      last = Interval(start: start, end: try line.secondsIfPresent("lastLost"))
    }
  }
}
