// SPDX-License-Identifier: GPL-3.0-or-later

public import JSON

/// A level in sixteenths of a decibel, as the gate computes with them.
public struct Decibels: Equatable, Sendable, JSONValue {
  public let sixteenths: Int

  public init(sixteenths: Int) { self.sixteenths = sixteenths }

  /// Exact: `-43.9375`.
  public var text: String { text(fraction: sixteenths.magnitude % 16 * 625, decimals: 4) }

  /// One decimal, rounded towards zero: `-43.9`.
  public var shortText: String { text(fraction: sixteenths.magnitude % 16 * 10 / 16, decimals: 1) }

  private func text(fraction: UInt, decimals: Int) -> String {
    let digits = String(fraction)
    let padded = String(repeating: "0", count: decimals - digits.utf8.count) + digits
    return "\(sixteenths < 0 ? "-" : "")\(sixteenths.magnitude / 16).\(padded)"
  }

  public func write(to json: inout JSONWriter) { json.literal(text) }
}
