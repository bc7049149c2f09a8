// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Registry
import Setup
import VirtualRadio

// What must hold at any time, and when all is over.

extension LifeCycle {
  func check() throws(Breach) {
    agent.setupCore.checkInvariants()
    if agent.setupCore.isOpening { lastOpening = now }
    try checkFile()
    guard agent.setupCore.requests.count <= 64 else {
      throw Breach(.bound, "\(agent.setupCore.requests.count) requests are open")
    }
    for actor in actors where actor.id != nil && actor.outgoing.isEmpty {
      guard let call = actor.pending.first, let deadline = call.deadline else { continue }
      // What comes while the registry's file is read waits for it first.
      let patience: Int64 = lastOpening >= call.sentAt ? deadline + 30_000_000 : deadline
      guard now - call.sentAt <= patience + pace else {
        throw Breach(.unansweredCall, "\(actor.name) waits for \(call.method) since \(call.sentAt) µs")
      }
    }
  }

  /// The agent has what the file has, and so has every app that has read all.
  private func checkFile() throws(Breach) {
    guard !agent.setupCore.isOpening, agent.setupCore.degradation == nil, disk.isOpen else { return }
    guard agent.setupCore.registry == disk.saved else {
      throw Breach(.registry, "the agent's registry is not the file's")
    }
    known = disk.saved
    for place in actors.indices where actors[place].bytesPerRead == 0 && actors[place].id != nil {
      try checkBelief(place)
    }
  }

  private func checkBelief(_ place: Int) throws(Breach) {
    guard let book = actors[place].book, let app = book.app, !book.isInvalidated,
      let held = book.accessories, !actors[place].pending.isEmpty
    else { return }
    guard book.owed.isEmpty else {
      throw Breach(.registry, "\(actors[place].name) \(place) was not told that \(book.owed) is gone")
    }
    guard held != view(of: app) else { return }
    throw Breach(
      .registry,
      "\(actors[place].name) \(place) holds \(held) and the file has \(view(of: app)) for \(app)")
  }

  /// Nobody begins anything; calls, requests and the disk come to their ends.
  func end() throws(Breach) {
    note("the end")
    isEnding = true
    nextCut = .max
    pace = 200_000
    disk.mend()
    radio.remove()
    agent.radioVanished("it was pulled out", at: instant)
    for place in actors.indices {
      actors[place].nextAct = .max
      if actors[place].role == .opener { hangUp(place) }
    }
    // What cannot be used is opened again after the manifest was read.
    agent.readManifestAgain(at: instant)
    try pass(seconds: 130)
    try checkAnswers()
    try checkViews()
    for place in actors.indices where tampering != .neverLeaves || place > 0 { hangUp(place) }
    try pass(seconds: 170)
    try checkNothingLeft()
  }

  private func pass(seconds: Int64) throws(Breach) {
    let end = now + seconds * 1_000_000
    while now < end {
      step += 1
      try settle()
      try work()
      try settle()
      try check()
      now = min(end, max(now + pace, nextTime ?? end))
    }
  }

  private func checkAnswers() throws(Breach) {
    for actor in actors where actor.id != nil {
      guard let call = actor.pending.first, call.deadline != nil else { continue }
      throw Breach(.unansweredCall, "\(actor.name) waits for \(call.method)")
    }
  }

  /// Every app believes to have what the file says that it has; so is told who asks anew; operators see what is open.
  private func checkViews() throws(Breach) {
    let open = Set(agent.setupCore.requests.map(\.id.text))
    for actor in actors where actor.id != nil && actor.role == .watcher && actor.watched.isSynced {
      guard actor.watched.open == open else {
        throw Breach(.wrongReply, "\(actor.name) believes other requests to be open")
      }
    }
    for place in actors.indices where actors[place].role == .streamer && actors[place].id != nil {
      try checkView(place)
      if actors[place].pending.isEmpty { activate(place) }
    }
    try settle()
    for place in actors.indices where actors[place].role == .streamer && actors[place].id != nil {
      try checkView(place)
    }
  }

  private func checkView(_ place: Int) throws(Breach) {
    guard let book = actors[place].book, let app = book.app, !book.isInvalidated,
      !actors[place].pending.isEmpty
    else { return }
    let name = "\(actors[place].name) \(place)"
    try checkBelief(place)
    if let token = book.token, let next = book.nextOwn { try logs[app]?.checkEnd(next, token, name) }
    let open = Set(agent.setupCore.requests.map(\.id.text))
    if !book.hasMissed, let picker = book.open.first(where: { !open.contains($0) }) {
      throw Breach(.pickerOrder, "\(name) was not told that \(picker) has finished")
    }
    let shown: [String] = knowledge.shown.filter { $0.value == book.token }.map { $0.key }
    if !book.hasMissed, let picker = shown.sorted().first(where: { book.pickers[$0] == nil }) {
      throw Breach(.pickerOrder, "\(name) was told nothing of \(picker)")
    }
  }

  /// From the file alone.
  func view(of app: String) -> [String: SessionBook.Held] {
    var view: [String: SessionBook.Held] = [:]
    let registry = disk.saved
    let account = registry.account(ofApp: app)
    let isGroup = app == "app3"
    let user = configuration.access.appsOfUser.first { $0.value.contains(app) }?.key
    let present: AccountID? = isGroup ? AccountID.group(LifeManifest.group) : user.map { AccountID.user($0) }
    guard account == present else { return [:] }
    let items: [String] = manifest.apps.first { $0.name == app }?.items.map { $0.id } ?? []
    for accessory in registry.accessories where accessory.app == app {
      var isInert = false
      if let item = accessory.item { isInert = !items.contains(item) }
      view[accessory.identifier.text] = SessionBook.Held(
        name: registry.device(of: accessory).displayName,
        state: Int64(isInert ? 0 : accessory.state.rawValue))
    }
    return view
  }

  private func checkNothingLeft() throws(Breach) {
    agent.checkInvariants()
    let awaiting = disk.saved.accessories.count { $0.state == .awaitingAuthorization }
    guard agent.clientCount == 0, agent.setupCore.sessionCount == 0, agent.setupCore.requests.isEmpty,
      awaiting == 0
    else {
      throw Breach(
        .leftover,
        "\(agent.clientCount) clients, \(agent.setupCore.sessionCount) sessions, \(agent.setupCore.requests.count) requests, "
          + "\(awaiting) accessories that await their apps; open: \(agent.setupCore.requests)")
    }
  }
}
