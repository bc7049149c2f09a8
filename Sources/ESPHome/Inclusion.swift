// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces

/// The inclusion: a request that a client's switch has opened for an app, and the candidate that is shown of it.
///
/// It ends with the switch, with the connection of the client that switched it on, with its time, and with the agent.
struct Inclusion {
  /// What the agent is to do.
  enum Effect: Equatable {
    case open(app: String)
    /// End the request.
    case close
    case choose(request: String, candidate: UInt32, name: String?)
  }

  private struct Running {
    let app: String
    let client: ESPHomeClientID
    /// Nil until the agent has opened the request.
    var request: String?
    var items: [RequestItemLine] = []
    var candidates: [UInt32: CandidateLine] = [:]
    /// Those that the client has passed over.
    var passed: Set<CandidateLine.Key> = []
    var shown: UInt32?
    /// The level that ``text`` has, which changes with a difference of ``levelStep``.
    var shownLevel: Int8?
    /// Its setup is in progress.
    var chosen: UInt32?
  }

  private static let levelStep = 3
  /// Home Assistant keeps no longer text.
  private static let textBytesMax = 250

  /// The app that the next request is for.
  private(set) var app: String?
  private var running: Running?
  /// What is shown: the candidate, or what has happened.
  private(set) var text = "Off"

  var isOn: Bool { running != nil }

  /// The app of the select; the first, until another is chosen.
  mutating func allow(apps: [String]) {
    if app.map({ !apps.contains($0) }) ?? true { app = apps.first }
  }

  mutating func select(app: String, of apps: [String]) { if apps.contains(app) { self.app = app } }

  mutating func turn(on isOn: Bool, by client: ESPHomeClientID) -> [Effect] {
    guard isOn else { return end("Off") }
    guard running == nil else { return [] }
    guard let app else {
      text = "No app: name one in apps of the manifest's bridge section"
      return []
    }
    running = Running(app: app, client: client)
    show("Asking for accessories of \(app)")
    return [.open(app: app)]
  }

  mutating func clientEnded(_ client: ESPHomeClientID) -> [Effect] {
    running?.client == client ? end("Off") : []
  }

  // MARK: - The request

  mutating func opened(_ request: String) {
    running?.request = request
    describe()
  }

  /// An accessory of this name was set up.
  mutating func added(_ name: String) {
    running?.chosen = nil
    show("Added \(name)")
  }

  /// The request has ended by itself.
  mutating func closed(_ reason: String?) {
    guard running != nil else { return }
    running = nil
    show(reason ?? "Off")
  }

  mutating func update(_ reply: PickerReply) {
    guard let request = running?.request else { return }
    switch reply {
    case .request(let line) where line.request == request: running?.items = line.items
    case .candidate(let line, request): running?.candidates[line.candidate] = line
    case .gone(let number, request):
      running?.candidates[number] = nil
    case .request, .candidate, .gone, .closed, .synced: return
    }
    describe()
  }

  mutating func accept() -> [Effect] {
    guard let request = running?.request, running?.chosen == nil, let number = running?.shown,
      let candidate = running?.candidates[number], let item = item(of: candidate), !needsDigits(item)
    else { return [] }
    running?.chosen = number
    show("Setting up \(candidate.name)")
    // An item that asks for a name would wait for it.
    return [.choose(request: request, candidate: number, name: item.asksForName ? candidate.name : nil)]
  }

  /// The choice was refused, and the request may go on.
  mutating func refused(_ reason: String) {
    running?.chosen = nil
    show(reason)
  }

  mutating func next() {
    guard running?.chosen == nil, let number = running?.shown, let candidate = running?.candidates[number]
    else { return }
    running?.passed.insert(candidate.key)
    if running?.candidates.values.allSatisfy({ running?.passed.contains($0.key) ?? true }) ?? true {
      running?.passed = []
    }
    describe()
  }

  private mutating func end(_ text: String) -> [Effect] {
    guard running != nil else { return [] }
    running = nil
    show(text)
    return [.close]
  }

  // MARK: - The text

  private func item(of candidate: CandidateLine) -> RequestItemLine? {
    guard let items = running?.items, items.indices.contains(candidate.itemIndex) else { return nil }
    return items[candidate.itemIndex]
  }

  /// Digits cannot be compared or typed there.
  private func needsDigits(_ item: RequestItemLine) -> Bool { item.pairing == .authenticated }

  /// Shows the strongest candidate that was not passed over, unless one is being set up.
  private mutating func describe() {
    guard let running, running.chosen == nil else { return }
    let strongest = running.candidates.values.filter { !running.passed.contains($0.key) }.min { one, other in
      (one.level ?? .min, other.candidate) > (other.level ?? .min, one.candidate)
    }
    guard let strongest, let item = item(of: strongest) else {
      self.running?.shown = nil
      return show("Looking for accessories of \(running.app)")
    }
    if strongest.candidate == running.shown, let before = running.shownLevel, let level = strongest.level,
      abs(Int(level) - Int(before)) < Self.levelStep
    {
      return
    }
    self.running?.shown = strongest.candidate
    self.running?.shownLevel = strongest.level
    show(Self.text(of: strongest) + (needsDigits(item) ? ": choose it with accessoryctl pick" : ""))
  }

  /// No address: it is no accessory yet, and Home Assistant keeps what it gets.
  private static func text(of candidate: CandidateLine) -> String {
    let ownName = (candidate.ssid ?? candidate.deviceName).map { " \($0.escaped(columnsMax: 40))" } ?? ""
    let level = candidate.level.map { ", \($0) dBm" } ?? ""
    return "\(candidate.candidate): \(candidate.name)\(ownName)\(level)"
  }

  private mutating func show(_ text: String) {
    var text = text
    while text.utf8.count > Self.textBytesMax { text.removeLast() }
    self.text = text
  }
}
