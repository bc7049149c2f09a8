// SPDX-License-Identifier: GPL-3.0-or-later

import JSON

/// The stream of one session: numbers without a gap, pickers in the order of events, and the accessories that the app
/// has according to its events.
struct SessionBook {
  private(set) var token: String?
  private(set) var app: String?
  private(set) var epoch: String?
  /// The next number, which may be another session's.
  private(set) var next: UInt64?
  /// Name and state of the accessories by identifier; nil while the app cannot know them.
  private(set) var accessories: [String: Held]?
  private(set) var pickers: [String: Stage] = [:]
  private(set) var isInvalidated = false
  /// Whether events were missed, so that pickers may have ended without an event.
  private(set) var hasMissed = false
  /// Whether it resumes with a cursor of the previous run.
  var isReturning = false
  /// The accessories that the start of this run removed, and whose removal the session must still receive, because it
  /// returns from the previous run.
  private(set) var owed: Set<String> = []
  private var takenBack: Set<String> = []
  private var activatedAt: UInt64 = 0
  private var lastKind = ""
  /// The accessories that were listed so far; nil unless they are being listed.
  private var listed: [String: Held]?
  private var radio: String?
  /// Whether the next call can resume the session.
  var resumes: Bool { token != nil && !isInvalidated }

  struct Held: Equatable {
    var name: String
    var state: Int64
  }

  enum Stage { case presented, failed, dismissed, finished }

  mutating func startActivation() { listed = nil }

  /// `run` has the epoch of the agent's current run, and the accessories of each app that its start removed.
  mutating func readReply(
    _ reply: JSONObject, of run: (epoch: String, takenBack: [String: Set<String>]),
    _ logs: inout [String: AppLog], _ client: String
  ) throws(Breach) {
    if let token = reply.text("session") {
      try readGreeting(token, reply, run.epoch, client)
      return try expectRemovals(run.takenBack[app ?? ""] ?? [], reply, client)
    }
    if let count = reply.number("missed") {
      guard let next, count > 0 else { throw Breach(.wrongReply, "\(client) missed nothing") }
      (self.next, accessories, hasMissed) = (next + UInt64(count), nil, true)
      return
    }
    if case .array(let elements)? = reply["accessories"] {
      var listed = self.listed ?? [:]
      for case .object(let accessory) in elements { try hold(accessory, &listed, client) }
      self.listed = listed
      guard let event = reply.object("event"), event.text("event") == "activated" else { return }
      activatedAt = UInt64(event.number("sequence") ?? 0)
      (accessories, self.listed) = (listed, nil)
      takenBack.subtract(listed.keys)
      owed.subtract(listed.keys)
      return
    }
    if let radio = reply.text("radio") { return try readRadio(radio, client) }
    guard let event = reply.object("event") else { throw Breach(.wrongReply, "\(client) read nothing") }
    try readEvent(event, &logs, client)
  }

  /// For falsified messages: as if the next numbers had been another session's.
  mutating func skipNumbers(_ count: Int64) { next = next.map { UInt64(Int64($0) + count) } }

  private mutating func readGreeting(
    _ token: String, _ reply: JSONObject, _ epoch: String, _ client: String
  ) throws(Breach) {
    guard let sequence = reply.number("sequence"), reply.text("epoch") == epoch else {
      throw Breach(.wrongReply, "\(client) received a first reply without epoch or sequence")
    }
    let isResumed = token == self.token && UInt64(sequence) == next && reply.bool("isReset") != true
    if token != self.token { pickers = [:] }
    if !isResumed { (accessories, hasMissed) = (nil, token == self.token) }
    if !isResumed { (owed, activatedAt) = ([], UInt64(sequence)) }
    (self.token, app, self.epoch, next) = (token, reply.text("app"), epoch, UInt64(sequence))
    radio = nil
    try readRadio(reply.text("radio"), client)
  }

  /// Every state is one of the interface's, and a reply comes only when it has changed.
  private mutating func readRadio(_ state: String?, _ client: String) throws(Breach) {
    guard let state, ["on", "off", "recovering", "absent"].contains(state), state != radio else {
      throw Breach(.wrongReply, "\(client) read the radio's state \(state ?? "not") after \(radio ?? "none")")
    }
    radio = state
  }

  private mutating func expectRemovals(
    _ takenBack: Set<String>, _ reply: JSONObject, _ client: String
  ) throws(Breach) {
    self.takenBack = takenBack
    guard isReturning else { return }
    isReturning = false
    owed = takenBack
    guard reply.bool("isReset") == true else {
      throw Breach(.wrongReply, "\(client) resumed from another run of the agent")
    }
  }

  private mutating func readEvent(
    _ event: JSONObject, _ logs: inout [String: AppLog], _ client: String
  ) throws(Breach) {
    guard let sequence = event.number("sequence"), let next, let kind = event.text("event") else {
      throw Breach(.wrongReply, "\(client) read an event without a number")
    }
    let passed = UInt64(event.number("passed") ?? 0)
    guard UInt64(sequence) == next + passed else {
      throw Breach(.lostCount, "\(client) read event \(sequence), expected \(next) and \(passed) passed")
    }
    if let token, let app {
      try logs[app, default: AppLog()].add(
        event, from: min(max(next, activatedAt), UInt64(sequence)), at: UInt64(sequence), token, client)
    }
    defer { lastKind = kind }
    self.next = UInt64(sequence) + 1
    guard !isInvalidated else { throw Breach(.unaskedReply, "\(client) read \(kind) after its end") }
    switch kind {
    case "invalidated": isInvalidated = true
    case "accessoryAdded", "accessoryChanged":
      guard let accessory = event.object("accessory") else { throw Breach(.wrongReply, "\(client): \(kind)") }
      // An import may add an accessory again that the start removed.
      if kind == "accessoryAdded", let identifier = accessory.text("identifier") {
        takenBack.remove(identifier)
        owed.remove(identifier)
      }
      if var held = accessories {
        try hold(accessory, &held, client)
        accessories = held
      }
    case "accessoryRemoved":
      guard let identifier = event.object("accessory")?.text("identifier") else { return }
      accessories?[identifier] = nil
      guard !takenBack.contains(identifier) || owed.remove(identifier) != nil else {
        throw Breach(.wrongReply, "\(client) received the removal of \(identifier), which it never had")
      }
    default:
      if let picker = event.text("picker") {
        try follow(kind, of: picker, client)
      } else {
        try followEnd(kind, client)
      }
    }
  }

  /// A picker of the previous run ends right after the accessory that the start removed; its events carry no
  /// identifier.
  private func followEnd(_ kind: String, _ client: String) throws(Breach) {
    let order = ["accessoryRemoved", "pickerSetupFailed", "pickerDidDismiss", "pickerFinished"]
    guard let stage = order.firstIndex(of: kind), stage > 0, order[stage - 1] == lastKind else {
      throw Breach(.pickerOrder, "\(client) read \(kind) of no picker after \(lastKind)")
    }
  }

  /// The first number that must come as an event or be marked as another session's.
  var nextOwn: UInt64? { next.map { max($0, activatedAt) } }

  /// The position from which a client resumes in the next run.
  var cursor: (app: String, epoch: String, next: UInt64)? {
    guard let app, let epoch, let next else { return nil }
    return (app, epoch, next)
  }

  private func hold(
    _ accessory: JSONObject, _ held: inout [String: Held], _ client: String
  ) throws(Breach) {
    guard let identifier = accessory.text("identifier"), let name = accessory.text("displayName"),
      let state = accessory.number("state")
    else { throw Breach(.wrongReply, "\(client) read half an accessory") }
    held[identifier] = Held(name: name, state: state)
  }

  /// Present, then discoveries and renames, perhaps setupFailed, then dismiss and finished, each once.
  private mutating func follow(_ kind: String, of picker: String, _ client: String) throws(Breach) {
    let stage = pickers[picker]
    let following: Stage?
    switch (kind, stage) {
    case ("pickerDidPresent", nil): following = .presented
    case ("accessoryDiscovered", .presented), ("pickerSetupRename", .presented): following = .presented
    case ("pickerSetupFailed", .presented): following = .failed
    case ("pickerDidDismiss", .presented), ("pickerDidDismiss", .failed): following = .dismissed
    case ("pickerFinished", .dismissed): following = .finished
    default: following = nil
    }
    guard let following else {
      guard hasMissed else {
        throw Breach(
          .pickerOrder, "\(client) read \(kind) of \(picker) after \(stage.map { "\($0)" } ?? "nothing")")
      }
      return pickers[picker] = nil
    }
    pickers[picker] = following
  }

  /// The pickers without an end.
  var open: [String] { pickers.filter { $0.value != .finished }.map(\.key).sorted() }
}

/// The requests that a watch of the operators received: each comes, changes, and closes once.
struct RequestBook {
  private(set) var open: Set<String> = []
  private(set) var isSynced = false

  mutating func readReply(_ reply: JSONObject, _ client: String) throws(Breach) {
    if let request = reply.object("request")?.text("request") { open.insert(request) }
    if let of = reply.text("of"), !open.contains(of) {
      throw Breach(.wrongReply, "\(client) received a candidate of an unknown request")
    }
    if let closed = reply.text("closed"), open.remove(closed) == nil {
      throw Breach(.wrongReply, "\(client) received twice that \(closed) has closed")
    }
    if reply.bool("isSynced") == true { isSynced = true }
  }
}
