// SPDX-License-Identifier: Apache-2.0

public import JSON

// What the values of `io.accessoryd.Operator` say beside their members.

extension CandidateLine {
  /// What tells candidates of a request apart for a person: one that comes back is the same.
  public enum Key: Hashable, Sendable {
    /// nil for a device that could not be found again.
    case device(DeviceAddress?)
    case network([UInt8])
  }

  public var key: Key { ssid.map { .network($0.bytes) } ?? .device(address) }

  /// Whether it was found by its network.
  public var isNetwork: Bool { ssid != nil }

  /// The level that a person sees, in dBm.
  public var level: Int8? { isNetwork ? rssi : filteredRSSI }
}

/// The question of a pairing that waits for a person.
public struct PairingQuestionLine: Equatable, Sendable {
  public typealias Kind = RequestLine.Pairing

  public var kind: Kind
  /// Six digits, for compare and showDigits.
  public var digits: String?

  public init(_ kind: Kind, digits: String? = nil) {
    self.kind = kind
    self.digits = digits
  }
}

extension RequestLine {
  /// The open question of the pairing; nil while there is none.
  public var question: PairingQuestionLine? {
    get { pairing.map { PairingQuestionLine($0, digits: digits) } }
    set { (pairing, digits) = (newValue?.kind, newValue?.digits) }
  }
}

/// What the person at a client can do while a device is paired: see `Watch`.
public enum PairingCapabilityName: String, CaseIterable, Sendable {
  case display, keyboard, yesNo
}

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

/// A reply of `Watch` of `io.accessoryd.Operator`, and a line of `pick --json` (`Config/schema/pick.schema.json`).
public enum PickerReply: Equatable, Line {
  /// There is a request, or it has changed.
  case request(RequestLine)
  /// There is a candidate of the request `of`, or it has changed.
  case candidate(CandidateLine, of: String)
  /// The candidate of that number is gone.
  case gone(UInt32, of: String)
  /// The request is over.
  case closed(String, RequestEnding)
  /// Every request and candidate that existed when the call began has been sent.
  case synced

  public func writeMembers(to json: inout JSONWriter) {
    switch self {
    case .request(let request): json.object("request", request)
    case .candidate(let candidate, let request):
      json.member("of", request)
      json.object("candidate", candidate)
    case .gone(let candidate, let request):
      json.member("of", request)
      json.member("gone", candidate)
    case .closed(let request, let ending):
      json.member("closed", request)
      ending.writeMembers(to: &json)
    case .synced: json.member("isSynced", true)
    }
  }
}

extension PickerReply: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    if let request: RequestLine = try line.lineIfPresent("request") {
      self = .request(request)
    } else if let candidate: CandidateLine = try line.lineIfPresent("candidate") {
      self = .candidate(candidate, of: try line.string("of"))
    } else if let candidate: UInt32 = try line.integerIfPresent("gone") {
      self = .gone(candidate, of: try line.string("of"))
    } else if let request = try line.stringIfPresent("closed") {
      self = .closed(request, try RequestEnding(reading: line))
    } else {
      guard try line.bool("isSynced") else { throw line.error("isSynced", .unknownValue) }
      self = .synced
    }
  }
}
