// SPDX-License-Identifier: GPL-3.0-or-later

import JSON

/// What the stream of one session was told: numbers without a gap, pickers in the order of events, and from the
/// accessories' events what the app must believe to have.
struct SessionBook {
  private(set) var token: String?
  private(set) var app: String?
  private(set) var epoch: String?
  /// The number that comes next, but for those that are other sessions'.
  private(set) var next: UInt64?
  /// Accessories by identifier: name and state; nil while it cannot know.
  private(set) var accessories: [String: Held]?
  private(set) var pickers: [String: Stage] = [:]
  private(set) var isInvalidated = false
  /// Some events were missed: pickers may have ended unheard.
  private(set) var hasMissed = false
  /// It comes with a cursor of the run before.
  var isReturning = false
  /// What the start of this run took back and the session is still to be told, because it comes from the run before.
  private(set) var owed: Set<String> = []
  private var takenBack: Set<String> = []
  private var activatedAt: UInt64 = 0
  private var lastKind = ""
  private var told: [String: Held] = [:]
  private var isListing = false
  /// What is asked next.
  var resumes: Bool { token != nil && !isInvalidated }

  struct Held: Equatable {
    var name: String
    var state: Int64
  }

  enum Stage { case presented, failed, dismissed, finished }

  mutating func begin() { isListing = false }

  /// `run` is what the agent's present run is called, and what its start took back from each app.
  mutating func take(
    _ reply: JSONObject, of run: (epoch: String, takenBack: [String: Set<String>]),
    _ logs: inout [String: AppLog], _ client: String
  ) throws(Breach) {
    if let token = reply.text("session") {
      try greet(token, reply, run.epoch, client)
      return try remember(run.takenBack[app ?? ""] ?? [], reply, client)
    }
    if let count = reply.number("missed") {
      guard let next, count > 0 else { throw Breach(.wrongReply, "\(client) missed nothing") }
      (self.next, accessories, hasMissed) = (next + UInt64(count), nil, true)
      return
    }
    if case .array(let listed)? = reply["accessories"] {
      if !isListing { (told, isListing) = ([:], true) }
      for case .object(let accessory) in listed { try hold(accessory, &told, client) }
      guard let event = reply.object("event"), event.text("event") == "activated" else { return }
      activatedAt = UInt64(event.number("sequence") ?? 0)
      (accessories, isListing) = (told, false)
      takenBack.subtract(told.keys)
      return
    }
    guard let event = reply.object("event") else { throw Breach(.wrongReply, "\(client) read nothing") }
    try take(event, &logs, client)
  }

  /// For canaries: as if the next number had been another session's, or would come again.
  mutating func slip(by count: Int64) { next = next.map { UInt64(Int64($0) + count) } }

  private mutating func greet(
    _ token: String, _ reply: JSONObject, _ epoch: String, _ client: String
  ) throws(Breach) {
    guard let sequence = reply.number("sequence"), reply.text("epoch") == epoch else {
      throw Breach(.wrongReply, "\(client) was greeted without a place")
    }
    let goesOn = token == self.token && UInt64(sequence) == next && reply.truth("isReset") != true
    if token != self.token { pickers = [:] }
    if !goesOn { (accessories, hasMissed) = (nil, token == self.token) }
    if !goesOn { (owed, activatedAt) = ([], UInt64(sequence)) }
    (self.token, app, self.epoch, next) = (token, reply.text("app"), epoch, UInt64(sequence))
  }

  private mutating func remember(
    _ takenBack: Set<String>, _ reply: JSONObject, _ client: String
  ) throws(Breach) {
    self.takenBack = takenBack
    guard isReturning else { return }
    isReturning = false
    owed = takenBack
    guard reply.truth("isReset") == true else {
      throw Breach(.wrongReply, "\(client) goes on from another run of the agent")
    }
  }

  private mutating func take(
    _ event: JSONObject, _ logs: inout [String: AppLog], _ client: String
  ) throws(Breach) {
    guard let sequence = event.number("sequence"), let next, let kind = event.text("event") else {
      throw Breach(.wrongReply, "\(client) read an event without a number")
    }
    let passed = UInt64(event.number("passed") ?? 0)
    guard UInt64(sequence) == next + passed else {
      throw Breach(.lostCount, "\(client) read event \(sequence) after \(next), \(passed) passed")
    }
    if let token, let app {
      try logs[app, default: AppLog()].take(
        event, from: min(max(next, activatedAt), UInt64(sequence)), at: UInt64(sequence), token, client)
    }
    defer { lastKind = kind }
    self.next = UInt64(sequence) + 1
    guard !isInvalidated else { throw Breach(.unaskedReply, "\(client) read \(kind) after its end") }
    switch kind {
    case "invalidated": isInvalidated = true
    case "accessoryAdded", "accessoryChanged":
      guard let accessory = event.object("accessory") else { throw Breach(.wrongReply, "\(client): \(kind)") }
      // An import may bring back what was taken back.
      if kind == "accessoryAdded" { takenBack.remove(accessory.text("identifier") ?? "") }
      if var held = accessories {
        try hold(accessory, &held, client)
        accessories = held
      }
    case "accessoryRemoved":
      guard let identifier = event.object("accessory")?.text("identifier") else { return }
      accessories?[identifier] = nil
      guard !takenBack.contains(identifier) || owed.remove(identifier) != nil else {
        throw Breach(.wrongReply, "\(client) was told that \(identifier) is gone, which it never had")
      }
    default:
      if let picker = event.text("picker") {
        try follow(kind, of: picker, client)
      } else {
        try followEnd(kind, client)
      }
    }
  }

  /// A picker of the run before ends right behind the accessory that was taken back; nobody knows its name any more.
  private func followEnd(_ kind: String, _ client: String) throws(Breach) {
    let order = ["accessoryRemoved", "pickerSetupFailed", "pickerDidDismiss", "pickerFinished"]
    guard let place = order.firstIndex(of: kind), place > 0, order[place - 1] == lastKind else {
      throw Breach(.pickerOrder, "\(client) read \(kind) of no picker after \(lastKind)")
    }
  }

  /// The first number that it has to be told of, or to be told that it is another session's.
  var nextOwn: UInt64? { next.map { max($0, activatedAt) } }

  /// For who comes back in another run.
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

  /// present, then what was found and asked, setupFailed perhaps, dismiss, finished: each once.
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

  /// Pickers whose end was not told.
  var open: [String] { pickers.filter { $0.value != .finished }.map(\.key).sorted() }
}

/// What a watch of the operators was told: requests come, change, and close once.
struct RequestBook {
  private(set) var open: Set<String> = []
  private(set) var isSynced = false

  mutating func take(_ reply: JSONObject, _ client: String) throws(Breach) {
    if let request = reply.object("request")?.text("request") { open.insert(request) }
    if let of = reply.text("of"), !open.contains(of) {
      throw Breach(.wrongReply, "\(client) was told of a candidate of nothing")
    }
    if let closed = reply.text("closed"), open.remove(closed) == nil {
      throw Breach(.wrongReply, "\(client) was told twice that \(closed) is over")
    }
    if reply.truth("isSynced") == true { isSynced = true }
  }
}
