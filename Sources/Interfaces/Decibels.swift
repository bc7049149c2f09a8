// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A level in sixteenths of a decibel, as the gate computes with them.
public struct Decibels: Equatable, Sendable, JSONEncodable {
  public let sixteenths: Int

  public init(sixteenths: Int) { self.sixteenths = sixteenths }

  /// Exact: `-43.9375`.
  public var text: String { Self.text(sixteenths * 625, decimals: 4) }

  /// A number of tenths, hundredths and so on.
  package static func text(_ parts: Int, decimals: Int) -> String {
    let digits = String(parts.magnitude)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.utf8.count)) + digits
    return "\(parts < 0 ? "-" : "")\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }

  public func write(to json: inout JSONWriter) { json.literal(text) }
}

extension JSONObjectReader {
  public func decibels(_ name: String) throws(JSONMemberError) -> Decibels {
    try require(name, try decibelsIfPresent(name))
  }

  /// Exact to a sixteenth, and no more than any level or path loss could be.
  public func decibelsIfPresent(_ name: String) throws(JSONMemberError) -> Decibels? {
    guard let decibels = try doubleIfPresent(name) else { return nil }
    guard let sixteenths = Int(exactly: decibels * 16), sixteenths.magnitude < 1 << 16 else {
      throw error(name, .unknownValue)
    }
    return Decibels(sixteenths: sixteenths)
  }
}
