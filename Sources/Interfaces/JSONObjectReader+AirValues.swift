// SPDX-License-Identifier: Apache-2.0

public import JSON

extension JSONObjectReader {
  /// Text received over the air. A member whose name ends in `Hex` has the bytes when the text had to be altered.
  public func airTextIfPresent(_ name: String) throws(JSONMemberError) -> AirText? {
    guard let text = try stringIfPresent(name) else { return nil }
    return AirText(try bytesIfPresent(name + "Hex") ?? Array(text.utf8))
  }

  public func airText(_ name: String) throws(JSONMemberError) -> AirText {
    try require(name, try airTextIfPresent(name))
  }

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
