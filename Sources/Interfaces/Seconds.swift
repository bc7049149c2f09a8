// SPDX-License-Identifier: Apache-2.0

public import JSON
public import Values

/// A span of time, shown as seconds with six decimals; whole microseconds in, no floating point in between.
public struct Seconds: Equatable, Sendable, JSONEncodable {
  public let microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// From `start` to `end`; negative when the clock was set back in between.
  public init(from start: Instant, to end: Instant) {
    self.init(microseconds: end.microseconds &- start.microseconds)
  }

  /// `12.000345`, `-0.500000`.
  public var text: String { text(decimals: 6) }

  /// With fewer decimals, rounded towards zero.
  public func text(decimals: Int) -> String {
    precondition((1...6).contains(decimals), "seconds have one to six decimals")
    let magnitude = microseconds.magnitude
    let fraction = String(magnitude % 1_000_000)
    let padded = String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
    return "\(microseconds < 0 ? "-" : "")\(magnitude / 1_000_000).\(padded.prefix(decimals))"
  }

  public func write(to json: inout JSONWriter) { json.literal(text) }
}

extension JSONObjectReader {
  /// Whole microseconds. A Double holds 2^51 of them (71 years) exactly.
  public func seconds(_ name: String) throws(JSONMemberError) -> Seconds {
    try require(name, try secondsIfPresent(name))
  }

  public func secondsIfPresent(_ name: String) throws(JSONMemberError) -> Seconds? {
    guard let seconds = try doubleIfPresent(name) else { return nil }
    guard let microseconds = Int64(exactly: (seconds * 1_000_000).rounded()), microseconds.magnitude < 1 << 51
    else { throw error(name, .unknownValue) }
    return Seconds(microseconds: microseconds)
  }
}
