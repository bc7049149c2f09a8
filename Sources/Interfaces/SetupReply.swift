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
  /// How the device was paired; nil when it was not.
  public var pairing: PairingMethodName?
  public var isBondAuthenticated: Bool?

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
    if let pairing { json.member("pairing", pairing.rawValue) }
    if let isBondAuthenticated { json.member("isBondAuthenticated", isBondAuthenticated) }
  }
}

extension SetupReply: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      accessory: try line.string("accessory"), displayName: try line.string("displayName"),
      awaitsApp: try line.bool("awaitsApp"), finishesInApp: try line.bool("finishesInApp"))
    pairing = try line.valueIfPresent("pairing", of: PairingMethodName.allCases, \.rawValue)
    isBondAuthenticated = try line.boolIfPresent("isBondAuthenticated")
  }
}
