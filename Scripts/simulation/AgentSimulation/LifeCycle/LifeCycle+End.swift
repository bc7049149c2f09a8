// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import AgentSupport
import Manifest
import Registry
import Setup
import VirtualRadio

// What must hold after each step, and at the end.

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
      // A call that comes while the registry's file is being read first waits for the file.
      let patience: Int64 = lastOpening >= call.sentAt ? deadline + 30_000_000 : deadline
      guard now - call.sentAt <= patience + pace else {
        throw Breach(.unansweredCall, "\(actor.name) waits for \(call.method) since \(call.sentAt) µs")
      }
    }
  }

  /// Checks that the agent, the file, and every app that has read everything agree.
  private func checkFile() throws(Breach) {
    guard !agent.setupCore.isOpening, agent.setupCore.degradation == nil, disk.isOpen else { return }
    guard agent.setupCore.registry == disk.saved else {
      throw Breach(.registry, "the agent's registry is not the file's")
    }
    known = disk.saved
    for index in actors.indices where actors[index].bytesPerRead == 0 && actors[index].id != nil {
      try checkAccessories(index)
    }
  }

  /// Whatever device an accessory has: its app knows it as before, and no other accessory is left with the old device.
  func checkReplacements() throws(Breach) {
    for old in known.accessories {
      guard let new = disk.saved.accessory(old.identifier), new.number == old.number else { continue }
      let (before, after) = (known.device(of: old).identity, disk.saved.device(of: new).identity)
      guard new.app == old.app, new.bluetoothIdentifier == old.bluetoothIdentifier,
        new.addedAt == old.addedAt,
        before == after || new.device == old.device
      else { throw Breach(.registry, "\(old.identifier.text) is not what it was for \(old.app)") }
      if before != after { replacedCount += 1 }
    }
  }

  private func checkAccessories(_ index: Int) throws(Breach) {
    guard let book = actors[index].book, let app = book.app, !book.isInvalidated,
      let held = book.accessories, !actors[index].pending.isEmpty
    else { return }
    guard book.owed.isEmpty else {
      throw Breach(.registry, "\(actors[index].name) \(index) did not receive the removal of \(book.owed)")
    }
    guard held != view(of: app) else { return }
    throw Breach(
      .registry,
      "\(actors[index].name) \(index) holds \(held) and the file has \(view(of: app)) for \(app)")
  }

  /// Starts nothing new, lets calls, requests and the disk finish, and checks that they have.
  func end() throws(Breach) {
    note("the end")
    isEnding = true
    nextCut = .max
    pace = 200_000
    disk.stopFailing()
    radio.remove()
    agent.radioVanished("it was pulled out", at: instant)
    for index in actors.indices {
      actors[index].nextAct = .max
      if actors[index].role == .opener { hangUp(index) }
    }
    // A registry that cannot be used is opened again after the manifest has been read.
    agent.readManifestAgain(at: instant)
    try wait(seconds: 130)
    try checkAnswers()
    try checkViews()
    for index in actors.indices where tampering != .neverLeaves || index > 0 { hangUp(index) }
    try wait(seconds: 170)
    try checkNothingLeft()
  }

  private func wait(seconds: Int64) throws(Breach) {
    let end = now + seconds * 1_000_000
    while now < end {
      step += 1
      try settle()
      try deliverInputs()
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

  /// Checks that every app has the accessories that the file has, also after it activates again, and that operators see
  /// the open requests.
  private func checkViews() throws(Breach) {
    let open = Set(agent.setupCore.requests.map(\.id.text))
    for actor in actors where actor.id != nil && actor.role == .watcher && actor.watched.isSynced {
      guard actor.watched.open == open else {
        throw Breach(.wrongReply, "\(actor.name) has other open requests than the agent")
      }
    }
    for index in actors.indices where actors[index].role == .streamer && actors[index].id != nil {
      try checkView(index)
      if actors[index].pending.isEmpty { activate(index) }
    }
    try settle()
    for index in actors.indices where actors[index].role == .streamer && actors[index].id != nil {
      try checkView(index)
    }
  }

  private func checkView(_ index: Int) throws(Breach) {
    guard let book = actors[index].book, let app = book.app, !book.isInvalidated,
      !actors[index].pending.isEmpty
    else { return }
    let name = "\(actors[index].name) \(index)"
    try checkAccessories(index)
    if let token = book.token, let next = book.nextOwn { try logs[app]?.checkEnd(next, token, name) }
    let open = Set(agent.setupCore.requests.map(\.id.text))
    if !book.hasMissed, let picker = book.open.first(where: { !open.contains($0) }) {
      throw Breach(.pickerOrder, "\(name) did not receive that \(picker) has finished")
    }
    let shown: [String] = knowledge.shown.filter { $0.value == book.token }.map { $0.key }
    if !book.hasMissed, let picker = shown.sorted().first(where: { book.pickers[$0] == nil }) {
      throw Breach(.pickerOrder, "\(name) received no event of \(picker)")
    }
  }

  /// The accessories of an app as the file has them.
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
        "\(agent.clientCount) clients, \(agent.setupCore.sessionCount) sessions, "
          + "\(agent.setupCore.requests.count) requests, "
          + "\(awaiting) accessories that await their apps; open: \(agent.setupCore.requests)")
    }
  }
}
