// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The reply to `Choose` of `io.accessoryd.Operator`: the accessory that was set up.
public struct SetupReply: Equatable, Line {
  /// 32 lower-case hexadecimal digits.
  public let accessory: String
  public let displayName: String
  /// The app has to confirm the accessory.
  public let awaitsApp: Bool
  /// The app continues the setup.
  public let finishesInApp: Bool

  public init(accessory: String, displayName: String, awaitsApp: Bool, finishesInApp: Bool) {
    self.accessory = accessory
    self.displayName = displayName
    self.awaitsApp = awaitsApp
    self.finishesInApp = finishesInApp
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("accessory", accessory)
    json.member("displayName", displayName)
    json.member("awaitsApp", awaitsApp)
    json.member("finishesInApp", finishesInApp)
  }
}

extension SetupReply: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      accessory: try line.string("accessory"), displayName: try line.string("displayName"),
      awaitsApp: try line.bool("awaitsApp"), finishesInApp: try line.bool("finishesInApp"))
  }
}
