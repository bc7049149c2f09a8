// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Something that waits for an operator: `Request` of `io.accessoryd.Operator`, and a part of a line of `pick --json`
/// (`Config/schema/pick.schema.json`).
public struct RequestLine: Equatable, Line {
  /// What the request is for.
  public enum Kind: String, CaseIterable, Sendable {
    case setup, rename, authorize, migrate, pair
  }

  /// How far the request is; the interface says what each means.
  public enum Phase: String, CaseIterable, Sendable {
    case looking, choosing, pairing, naming, settingUp, confirming, answering
  }

  /// How a request of setup looks for candidates, and how far it is.
  public struct Search: Equatable, Sendable {
    /// Holding a device at the gateway chooses it.
    public var usesTouch: Bool
    /// The app decides which of the devices are shown.
    public var isFiltered: Bool
    /// How many devices were reported to the app.
    public var disclosed: Int
    /// How many accessories are still to be set up.
    public var remaining: Int
    /// How many further devices match, for which there was no space.
    public var hidden: Int
    /// How many devices in sight match and are no candidates, because their item is full.
    public var turnedAway: Int
    /// How many devices in sight match and are no candidates, because they send too seldom for the gate.
    public var tooSlow: Int

    public init(
      usesTouch: Bool = false, isFiltered: Bool = false, disclosed: Int = 0, remaining: Int = 0,
      hidden: Int = 0, turnedAway: Int = 0, tooSlow: Int = 0
    ) {
      self.usesTouch = usesTouch
      self.isFiltered = isFiltered
      self.disclosed = disclosed
      self.remaining = remaining
      self.hidden = hidden
      self.turnedAway = turnedAway
      self.tooSlow = tooSlow
    }
  }

  /// 32 hexadecimal digits.
  public var request: String
  public var kind: Kind
  public var app: String
  /// An operator opened it for the app.
  public var isOnBehalf: Bool
  /// Since the agent started.
  public var since: Seconds
  /// When it ends by itself, as things are.
  public var end: Seconds?
  public var phase: Phase
  /// For setup, in the order of ``CandidateLine/itemIndex``.
  public var items: [RequestItemLine]
  public var search: Search
  /// The most recent setback, as a sentence for operators.
  public var detail: String?
  public var accessory: String?
  public var displayName: String?
  /// For rename: whether the stored name of the network follows.
  public var renamesSSID: Bool?
  /// How the typed name begins, because it is also the name of the network.
  public var namePrefix: String?
  /// For authorize and migrate: the additions, as sentences for operators.
  public var adds: [String]?
  /// The open question of the pairing; nil while there is none.
  public var question: PairingQuestionLine?
  /// What an operator should know before choosing, because the device will be paired.
  public var pairingNote: String?

  public init(
    request: String, kind: Kind, app: String, isOnBehalf: Bool = false, since: Seconds, end: Seconds?,
    phase: Phase, items: [RequestItemLine] = [], search: Search = Search(), detail: String? = nil,
    accessory: String? = nil,
    displayName: String? = nil, renamesSSID: Bool? = nil, namePrefix: String? = nil,
    adds: [String]? = nil
  ) {
    self.request = request
    self.kind = kind
    self.app = app
    self.isOnBehalf = isOnBehalf
    self.since = since
    self.end = end
    self.phase = phase
    self.items = items
    self.search = search
    self.detail = detail
    self.accessory = accessory
    self.displayName = displayName
    self.renamesSSID = renamesSSID
    self.namePrefix = namePrefix
    self.adds = adds
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("request", request)
    json.member("kind", kind.rawValue)
    json.member("app", app)
    json.member("isOnBehalf", isOnBehalf)
    json.member("since", since)
    json.member("end", end)
    json.member("phase", phase.rawValue)
    json.objects("items", items)
    json.member("usesTouch", search.usesTouch)
    json.member("isFiltered", search.isFiltered)
    json.member("disclosed", search.disclosed)
    json.member("remaining", search.remaining)
    json.member("hidden", search.hidden)
    if search.turnedAway > 0 { json.member("turnedAway", search.turnedAway) }
    if search.tooSlow > 0 { json.member("tooSlow", search.tooSlow) }
    if let detail { json.member("detail", detail) }
    if let accessory { json.member("accessory", accessory) }
    if let displayName { json.member("displayName", displayName) }
    if let renamesSSID { json.member("renamesSSID", renamesSSID) }
    if let namePrefix { json.member("namePrefix", namePrefix) }
    if let adds { json.member("adds", adds) }
    if let question { json.member("pairing", question.kind.rawValue) }
    if let digits = question?.digits { json.member("digits", digits) }
    if let pairingNote { json.member("pairingNote", pairingNote) }
  }
}

extension RequestLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      request: try line.string("request"), kind: try line.value("kind", of: Kind.allCases, \.rawValue),
      app: try line.string("app"), isOnBehalf: try line.bool("isOnBehalf"), since: try line.seconds("since"),
      end: try line.secondsIfPresent("end"), phase: try line.value("phase", of: Phase.allCases, \.rawValue),
      items: try line.lines("items"), search: try Search(reading: line),
      detail: try line.stringIfPresent("detail"),
      accessory: try line.stringIfPresent("accessory"), displayName: try line.stringIfPresent("displayName"),
      renamesSSID: try line.boolIfPresent("renamesSSID"),
      namePrefix: try line.stringIfPresent("namePrefix"), adds: try line.stringsIfPresent("adds"))
    if let kind = try line.valueIfPresent("pairing", of: PairingQuestionLine.Kind.allCases, \.rawValue) {
      question = PairingQuestionLine(kind, digits: try line.stringIfPresent("digits"))
    }
    pairingNote = try line.stringIfPresent("pairingNote")
  }
}

extension RequestLine.Search {
  fileprivate init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      usesTouch: try line.bool("usesTouch"), isFiltered: try line.bool("isFiltered"),
      disclosed: try line.integer("disclosed"), remaining: try line.integer("remaining"),
      hidden: try line.integer("hidden"), turnedAway: try line.integerIfPresent("turnedAway") ?? 0,
      tooSlow: try line.integerIfPresent("tooSlow") ?? 0)
  }
}
