// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Something that waits for an operator: `Request` of `io.accessoryd.Operator`, and a part of a line of `pick --json`
/// (`Config/schema/pick.schema.json`).
public struct RequestLine: Equatable, Line {
  /// What is asked.
  public enum Kind: String, CaseIterable, Sendable {
    case setup, rename, authorize
  }

  /// How far it is; the interface says what each means.
  public enum Phase: String, CaseIterable, Sendable {
    case looking, choosing, naming, settingUp, confirming, answering
  }

  /// 32 hexadecimal digits.
  public var request: String
  public var kind: Kind
  public var app: String
  /// An operator opened it for the app.
  public var onBehalf: Bool
  /// Since the agent started.
  public var since: Seconds
  /// When it ends by itself, as things are.
  public var end: Seconds?
  public var phase: Phase
  /// Of setup, in the order of ``CandidateLine/itemIndex``.
  public var items: [RequestItemLine]
  public var touch: Bool
  public var filtered: Bool
  public var disclosed: Int
  public var remaining: Int
  public var hidden: Int
  /// The last thing that went otherwise than wished, for people.
  public var detail: String?
  public var accessory: String?
  public var displayName: String?
  /// Of rename: the network's stored name follows.
  public var renameSSID: Bool?
  /// Of authorize: what is added, for people.
  public var adds: [String]?

  public init(
    request: String, kind: Kind, app: String, onBehalf: Bool = false, since: Seconds, end: Seconds?,
    phase: Phase, items: [RequestItemLine] = [], touch: Bool = false, filtered: Bool = false,
    disclosed: Int = 0, remaining: Int = 0, hidden: Int = 0, detail: String? = nil, accessory: String? = nil,
    displayName: String? = nil, renameSSID: Bool? = nil, adds: [String]? = nil
  ) {
    self.request = request
    self.kind = kind
    self.app = app
    self.onBehalf = onBehalf
    self.since = since
    self.end = end
    self.phase = phase
    self.items = items
    self.touch = touch
    self.filtered = filtered
    self.disclosed = disclosed
    self.remaining = remaining
    self.hidden = hidden
    self.detail = detail
    self.accessory = accessory
    self.displayName = displayName
    self.renameSSID = renameSSID
    self.adds = adds
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("request", request)
    json.member("kind", kind.rawValue)
    json.member("app", app)
    json.member("isOnBehalf", onBehalf)
    json.member("since", since)
    json.member("end", end)
    json.member("phase", phase.rawValue)
    json.objects("items", items)
    json.member("usesTouch", touch)
    json.member("isFiltered", filtered)
    json.member("disclosed", disclosed)
    json.member("remaining", remaining)
    json.member("hidden", hidden)
    if let detail { json.member("detail", detail) }
    if let accessory { json.member("accessory", accessory) }
    if let displayName { json.member("displayName", displayName) }
    if let renameSSID { json.member("renamesSSID", renameSSID) }
    if let adds { json.member("adds", adds) }
  }
}

extension RequestLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      request: try line.string("request"), kind: try line.value("kind", of: Kind.allCases, \.rawValue),
      app: try line.string("app"), onBehalf: try line.bool("isOnBehalf"), since: try line.seconds("since"),
      end: try line.secondsIfPresent("end"), phase: try line.value("phase", of: Phase.allCases, \.rawValue),
      items: try line.lines("items"), touch: try line.bool("usesTouch"),
      filtered: try line.bool("isFiltered"),
      disclosed: try line.integer("disclosed"), remaining: try line.integer("remaining"),
      hidden: try line.integer("hidden"), detail: try line.stringIfPresent("detail"),
      accessory: try line.stringIfPresent("accessory"), displayName: try line.stringIfPresent("displayName"),
      renameSSID: try line.boolIfPresent("renamesSSID"), adds: try line.stringsIfPresent("adds"))
  }
}
