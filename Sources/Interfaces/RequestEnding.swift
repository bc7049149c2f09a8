// SPDX-License-Identifier: Apache-2.0

public import JSON

/// How a request ended: with an accessory that was set up or named, or with a failure; with neither when it was agreed to.
public struct RequestEnding: Equatable, Line {
  public var accessory: String?
  public var displayName: String?
  /// Its name among AccessorySetupKit's errors.
  public var failure: String?
  public var reason: String?
  /// How the device was paired; nil when it was not.
  public var pairing: PairingMethod?
  public var isBondAuthenticated: Bool?

  public init(
    accessory: String? = nil, displayName: String? = nil, failure: String? = nil, reason: String? = nil
  ) {
    self.accessory = accessory
    self.displayName = displayName
    self.failure = failure
    self.reason = reason
  }

  public func writeMembers(to json: inout JSONWriter) {
    if let accessory { json.member("accessory", accessory) }
    if let displayName { json.member("displayName", displayName) }
    if let failure { json.member("failure", failure) }
    if let reason { json.member("reason", reason) }
    if let pairing { json.member("pairing", pairing.rawValue) }
    if let isBondAuthenticated { json.member("isBondAuthenticated", isBondAuthenticated) }
  }
}

extension RequestEnding: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      accessory: try line.stringIfPresent("accessory"), displayName: try line.stringIfPresent("displayName"),
      failure: try line.stringIfPresent("failure"), reason: try line.stringIfPresent("reason"))
    pairing = try line.valueIfPresent("pairing", of: PairingMethod.allCases, \.rawValue)
    isBondAuthenticated = try line.boolIfPresent("isBondAuthenticated")
  }
}
