// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Manifest
import Registry
import Varlink
import VirtualRadio

// The calls of apps and operators, by chance.

extension LifeCycle {
  func population() -> [Actor] {
    var actors: [Actor] = []
    let users = LifeManifest.users
    for user in users { actors.append(actor(.streamer, user)) }
    for _ in 0..<dice.between(1, 4) { actors.append(actor(.streamer, dice.pick(users))) }
    for user in users { actors.append(actor(.app, user)) }
    for _ in 0..<dice.between(0, 2) { actors.append(actor(.app, dice.pick(users))) }
    actors.append(actor(.listener, dice.pick(users)))
    actors.append(actor(.watcher, 0))
    if dice.chance(perMille: 500) { actors.append(actor(.watcher, 1001)) }
    for _ in 0..<dice.between(1, 3) { actors.append(actor(.operator, dice.pick([0, 1001]))) }
    actors.append(actor(.opener, 1002))
    return actors
  }

  private func actor(_ role: Actor.Role, _ user: UInt32) -> Actor {
    var groups: Set<UInt32> = [100]
    if [2003, 2004].contains(user) { groups.insert(LifeManifest.group) }
    if user == 1001 || user == 1002 { groups.insert(ScriptedClient.operatorGroup) }
    let isStream = role == .streamer || role == .watcher || role == .listener
    return Actor(
      name: "\(role) of user \(user)", peer: Peer(process: 1, uid: user, groups: groups), role: role,
      bytesPerRead: isStream && dice.chance(perMille: 200) ? dice.pick([40, 700]) : 0,
      nextAct: Int64(dice.between(0, 3_000_000)), dice: SeededGenerator(seed: dice.next()))
  }

  func act(_ index: Int) {
    let pauses: [Int64] = [20_000, 200_000, 1_000_000, 1_000_000, 4_000_000]
    actors[index].nextAct = now + actors[index].dice.pick(pauses)
    if actors[index].id == nil {
      guard case .admitted(let id) = agent.admit(actors[index].peer, at: instant) else { return }
      note("\(actors[index].name) \(index) connects")
      actors[index].id = id
    }
    switch actors[index].role {
    case .streamer: stream(index)
    case .listener: listen(index)
    case .app: if actors[index].pending.count < 3 { callAsApp(index) }
    case .watcher: watch(index)
    case .operator: if actors[index].pending.count < 2 { decide(index) }
    case .opener: open(index)
    }
  }

  /// Disconnects without notice.
  func hangUp(_ index: Int) {
    guard let id = actors[index].id else { return }
    note("\(actors[index].name) \(index) hangs up")
    agent.drop(id)
    actors[index].disconnect()
  }

  func call(
    _ index: Int, _ call: ActorCall, _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) {
    note("\(actors[index].name) \(index) calls \(call.method) \(call.subject) \(call.accessory ?? "")")
    actors[index].write(call, parameters)
  }

  private func new(_ method: String, seconds: Int64? = 0, more: Bool = false) -> ActorCall {
    ActorCall(method: method, wantsMore: more, deadline: seconds.map { $0 * 1_000_000 }, sentAt: now)
  }

  // MARK: Streams

  private func stream(_ index: Int) {
    guard actors[index].pending.isEmpty else {
      if actors[index].dice.chance(perMille: 120) {
        hangUp(index)
        actors[index].nextAct = now + Int64(actors[index].dice.pick([1000, 500_000, 9_999_000, 15_000_000]))
      }
      return
    }
    activate(index)
  }

  func activate(_ index: Int) {
    var dice = actors[index].dice
    let book = actors[index].book
    let resumes = book?.resumes ?? false && dice.chance(perMille: 850)
    if !resumes { actors[index].book = SessionBook() }
    actors[index].book?.startActivation()
    let apps = configuration.access.apps(of: actors[index].peer)
    let old = actors[index].cursor
    let returns = !resumes && old.map { apps.contains($0.app) } ?? false && dice.chance(perMille: 800)
    actors[index].book?.isReturning = returns
    let app = returns ? old?.app ?? "" : apps.isEmpty ? "app0" : dice.pick(apps)
    let hasCursor = resumes && dice.chance(perMille: 700)
    call(index, new(ActorCall.session + "Activate", seconds: nil, more: true)) { json in
      if resumes, let book {
        json.member("session", book.token)
        if hasCursor {
          json.member("epoch", book.epoch)
          json.member("sequence", book.next)
        }
      } else {
        json.member("app", app)
        guard returns, let old else { return }
        json.member("epoch", old.epoch)
        json.member("sequence", old.next)
      }
    }
    actors[index].dice = dice
  }

  private func listen(_ index: Int) {
    guard actors[index].pending.isEmpty else {
      if actors[index].dice.chance(perMille: 100) { hangUp(index) }
      return
    }
    guard let own = token(index, own: true) else { return }
    var watch = new(ActorCall.session + "WatchAdvertisements", seconds: nil, more: true)
    (watch.subject, watch.app) = (.own, own.app)
    call(index, watch) { $0.member("session", own.token) }
  }

  private func watch(_ index: Int) {
    guard actors[index].pending.isEmpty else {
      if actors[index].dice.chance(perMille: 40) { hangUp(index) }
      return
    }
    call(index, new(ActorCall.picker + "Watch", seconds: nil, more: true))
  }

  private func open(_ index: Int) {
    guard actors[index].pending.isEmpty else {
      if actors[index].dice.chance(perMille: 100) { hangUp(index) }
      return
    }
    if actors[index].dice.chance(perMille: 200), !knowledge.identifiers.isEmpty {
      return replace(index)
    }
    let app = "app\(actors[index].dice.number(below: 5))"
    let kind = actors[index].dice.number(below: 5)
    let device = actors[index].dice.pick(knowledge.addresses + ["00:00:00:00:00:07"])
    let count: Int = actors[index].dice.pick([1, 1, 2, 5])
    let timeout: String = actors[index].dice.pick(["5", "short", "unbounded"])
    call(index, new(ActorCall.picker + "Open", seconds: nil, more: true)) { json in
      json.member("app", app)
      if kind == 0 { json.member("usesTouch", true) }
      if kind == 1 { json.member("takesFirstImmediate", true) }
      if kind == 2 { json.member("device", device) }
      if kind == 3 { json.member("network", "Cam-1") }
      json.member("count", count)
      json.member("discoveryTimeout", timeout)
    }
  }

  /// Gives an accessory another device: one that an operator chooses, or one by its address.
  private func replace(_ index: Int) {
    let accessory = actors[index].dice.pick(Array(knowledge.identifiers.suffix(12)))
    let device = actors[index].dice.pick(knowledge.addresses + ["00:00:00:00:00:07"])
    let isNamed = actors[index].dice.chance(perMille: 500)
    call(index, new(ActorCall.picker + "Replace", seconds: nil, more: true)) { json in
      json.member("accessory", accessory)
      if isNamed { json.member("device", device) }
      json.member("discoveryTimeout", "5")
    }
  }

  // MARK: Apps

  /// A token of this user, or one of another user.
  private func token(_ index: Int, own: Bool) -> (token: String, app: String)? {
    let user = actors[index].peer.uid
    let tokens = knowledge.tokens.filter { ($0.user == user) == own }.suffix(6)
    guard !tokens.isEmpty else { return nil }
    let chosen = actors[index].dice.pick(Array(tokens))
    return (chosen.token, chosen.app)
  }

  private func callAsApp(_ index: Int) {
    var dice = actors[index].dice
    defer { actors[index].dice = dice }
    let isOwn = dice.chance(perMille: 850)
    let random = RandomIdentifier(high: dice.next(), low: dice.next()).text
    let known = token(index, own: isOwn)
    guard !isOwn || known != nil else { return }
    let session = dice.chance(perMille: isOwn ? 1000 : 600) ? known?.token ?? random : random
    let app = known?.app ?? ""
    let accessory = pick(for: app, &dice) ?? random
    let isForeign = knowledge.owners[accessory] != app
    let method = dice.pick(Self.methods)
    var call = new(ActorCall.session + method.name, seconds: method.seconds, more: method.name == "List")
    call.subject = isOwn ? (method.isAboutAccessory && isForeign ? .foreignAccessory : .own) : .foreignToken
    call.app = isOwn ? app : nil
    call.session = session
    if method.isAboutAccessory { call.accessory = accessory }
    let draw = dice.next()
    self.call(index, call) { json in
      json.member("session", session)
      if method.isAboutAccessory { json.member("accessory", accessory) }
      Self.write(method.name, draw, &json)
    }
  }

  private func pick(for app: String, _ dice: inout SeededGenerator) -> String? {
    let isOwn = dice.chance(perMille: 700)
    let known = knowledge.identifiers.filter { (knowledge.owners[$0] == app) == isOwn }.suffix(12)
    return known.isEmpty ? nil : dice.pick(Array(known))
  }

  private struct Method {
    var name: String
    var seconds: Int64
    var isAboutAccessory = false

    init(_ name: String, _ seconds: Int64 = 0, isAboutAccessory: Bool = false) {
      (self.name, self.seconds, self.isAboutAccessory) = (name, seconds, isAboutAccessory)
    }
  }

  private static let methods: [Method] = [
    Method("ShowPicker"), Method("ShowPicker"), Method("ShowPicker"), Method("ShowPicker"),
    Method("UpdatePicker"), Method("UpdatePicker"), Method("FinishPickerDiscovery"), Method("CancelPicker"),
    Method("List"), Method("Invalidate"), Method("RenameAccessory", 90, isAboutAccessory: true),
    Method("RemoveAccessory", 30, isAboutAccessory: true),
    Method("FinishAuthorization", 30, isAboutAccessory: true),
    Method("FinishAuthorization", 30, isAboutAccessory: true),
    Method("FailAuthorization", 30, isAboutAccessory: true),
    Method("UpdateAuthorization", 90, isAboutAccessory: true), Method("Resolve", isAboutAccessory: true),
  ]

  private static func write(_ method: String, _ draw: UInt64, _ json: inout JSONWriter) {
    let company = Int(Vocabulary.companies[Int(draw / 8 % 3)])
    switch method {
    case "ShowPicker":
      if draw % 5 == 0 { writeAppSuppliedItem(company, &json) }
      guard draw % 3 != 0 else { return }
      let timeouts: [String] = ["4", "short", "unbounded", "9"]
      let timeout: String = timeouts[Int(draw / 4 % 4)]
      let options: Int = Int(draw / 16 % 2)
      json.object("settings") { json in
        json.member("discoveryTimeout", timeout)
        json.member("options", options)
      }
    case "UpdatePicker":
      let first: UInt64 = 1 + draw / 8 % 3
      let numbers: [UInt64] = Array(first...(first + draw % 3))
      let name: String = "shown-\(draw % 100)"
      json.objects("items", numbers) { json, number in
        json.member("discovered", number)
        if number == first { json.member("name", name) }
        if draw % 5 == 0 { json.member("setupOptions", draw / 5 % 8) }
      }
    case "UpdateAuthorization":
      json.object("alternate") { $0.member("bluetoothCompanyIdentifier", company) }
    default: break
    }
  }

  private static func writeAppSuppliedItem(_ company: Int, _ json: inout JSONWriter) {
    json.objects("items", [company]) { json, company in
      json.member("name", "Lantern")
      json.object("descriptor") { $0.member("bluetoothCompanyIdentifier", company) }
    }
  }
}

extension AccessList {
  fileprivate func apps(of peer: Peer) -> [String] {
    peer.groups.reduce(into: appsOfUser[peer.uid] ?? []) { $0.formUnion(appsOfGroup[$1] ?? []) }.sorted()
  }
}

// MARK: - Operators

extension LifeCycle {
  private func decide(_ index: Int) {
    var dice = actors[index].dice
    defer { actors[index].dice = dice }
    let random = RandomIdentifier(high: dice.next(), low: dice.next()).text
    let request = dice.pick(knowledge.requests.suffix(8) + [random])
    let accessory = dice.pick(knowledge.identifiers.suffix(12) + [random])
    knowledge.nameCount += 1
    let name = "named-\(knowledge.nameCount)"
    let picker = ActorCall.picker
    let about = { [now] (method: String, seconds: Int64) in
      ActorCall(
        method: picker + method, deadline: seconds * 1_000_000, sentAt: now, accessory: accessory,
        request: request, name: name)
    }
    switch dice.number(below: 30) {
    case 0...11:
      guard let choice = knowledge.candidates.suffix(10).randomPick(&dice) else { return }
      var call = about("Choose", 90)
      call.request = choice.request
      let own = knowledge.identifiers.suffix(12).filter {
        knowledge.owners[$0] == knowledge.owners[choice.request]
      }
      let replaced = dice.chance(perMille: 200) ? own.suffix(12).randomPick(&dice) : nil
      let givesName = dice.chance(perMille: 300)
      call.accessory = replaced
      self.call(index, call) { json in
        json.member("request", choice.request)
        json.member("candidate", choice.candidate)
        if givesName, replaced == nil { json.member("name", name) }
        if let replaced { json.member("replaces", replaced) }
      }
    case 12, 13:
      call(index, about(dice.pick(["Deny", "Cancel"]), 0)) { $0.member("request", request) }
    case 14...17:
      call(index, about("Name", 30)) { json in
        json.member("request", request)
        json.member("name", name)
      }
    case 18, 19: call(index, about("Agree", 30)) { $0.member("request", request) }
    case 20, 21:
      call(index, about("Rename", 30)) { json in
        json.member("accessory", accessory)
        json.member("name", name)
      }
    case 22: call(index, about("Remove", 30)) { $0.member("accessory", accessory) }
    case 23:
      let device = dice.pick(knowledge.addresses + ["00:00:00:00:00:01"])
      let app = "app\(dice.number(below: 4))"
      call(index, about("Allow", 30)) { json in
        json.member("app", app)
        json.member("device", device)
      }
    case 24:
      let app = "app\(dice.number(below: 4))"
      call(index, about("Authorize", 30)) { $0.member("app", app) }
    case 25: call(index, new(picker + "List", seconds: 30, more: true))
    case 26: call(index, new(picker + dice.pick(["Registry", "Export"]), seconds: 30, more: true))
    case 27:
      // More lines than a message may have would need several calls.
      let byteCount = knowledge.exported.reduce(0) { $0 + $1.utf8.count + $1.count { $0 == #"""# } + 3 }
      guard dice.chance(perMille: 400), !knowledge.exported.isEmpty, byteCount < 16_000 else { return }
      let lines = knowledge.exported
      call(index, about("Import", 30)) { json in
        json.member("lines", lines)
        json.member("begins", true)
        json.member("commits", true)
      }
    case 28: if dice.chance(perMille: 150) { call(index, about("Reset", 30)) }
    default: call(index, ActorCall(method: "io.accessoryd.Gateway.Reload", deadline: 30_000_000, sentAt: now))
    }
  }
}

extension ArraySlice {
  fileprivate func randomPick(_ dice: inout SeededGenerator) -> Element? {
    isEmpty ? nil : dice.pick(Array(self))
  }
}
