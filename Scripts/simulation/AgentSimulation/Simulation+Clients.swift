// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Manifest
import Setup
import VirtualRadio

// The clients: who comes, what they write and read, who goes.

extension Simulation {
  /// Who will come, by chance; the auditor is always there from the beginning.
  func population() -> [ScriptedClient] {
    var population = [client(.auditor, user: 0, at: 0, until: .max)]
    for _ in 0..<dice.between(0, 8) {
      let role = dice.pick(Self.roles)
      let start = Int64(dice.number(below: seconds * 800_000))
      let end = dice.chance(perMille: 400) ? start + Int64(dice.between(0, 20_000_000)) : Int64.max
      population.append(client(role, user: user(of: role), at: start, until: end))
    }
    if dice.chance(perMille: 150) { population += crowd() }
    return population
  }

  private static let roles: [ClientRole] = [
    .watcher(bytesPerRead: 1 << 20), .watcher(bytesPerRead: 1 << 20), .watcher(bytesPerRead: 700),
    .watcher(bytesPerRead: 0), .caller, .caller, .recorder, .vandal, .vandal, .app, .stranger, .idler,
  ]

  /// More than there is room for, of several users.
  private func crowd() -> [ScriptedClient] {
    let start = Int64(dice.number(below: seconds * 500_000))
    return (0..<dice.between(60, 90)).map { number in
      let isOperator = number.isMultiple(of: 2)
      return client(
        isOperator ? .idler : .app, user: isOperator ? 3000 + UInt32(number % 8) : 2000,
        at: start + Int64(number), until: start + 5_000_000, isOperator: isOperator)
    }
  }

  private func user(of role: ClientRole) -> UInt32 {
    switch role {
    case .stranger: dice.pick([1234, 65_534])
    case .app: 2000
    case .auditor, .watcher, .caller, .recorder, .vandal, .idler: dice.pick([0, 1001, 1002])
    }
  }

  private func client(
    _ role: ClientRole, user: UInt32, at start: Int64, until end: Int64, isOperator: Bool = false
  ) -> ScriptedClient {
    let belongs = isOperator || [1001, 1002].contains(user)
    let peer = Peer(process: 1, uid: user, groups: belongs ? [100, ScriptedClient.operatorGroup] : [100])
    let name = "\(role) of user \(user), from \(start) µs on"
    return ScriptedClient(
      name: name, peer: peer, role: role, at: start, until: end,
      dice: SeededGenerator(seed: dice.next()))
  }

  // MARK: Acting

  func actClients() throws(Breach) {
    for place in clients.indices {
      if clients[place].leaves <= now {
        leave(place)
      } else if clients[place].nextAct <= now {
        try act(place)
      }
    }
  }

  private func act(_ place: Int) throws(Breach) {
    clients[place].nextAct = now + Int64(clients[place].dice.pick([3000, 50_000, 400_000, 2_000_000]))
    let isNew = clients[place].id == nil
    if isNew {
      guard try connect(place) else { return }
    }
    let hints = ScriptedClient.Hints(
      epoch: epoch, produced: clients[0].book.watch?.next ?? 0, addresses: addresses,
      items: manifest.items.map(\.item.id))
    if isNew { clients[place].begin(hints) } else { clients[place].act(hints) }
    try read(place)
  }

  /// A few addresses that somebody might ask about.
  private var addresses: [String] {
    referenceModel.devices.keys.sorted().prefix(6).map { String($0.prefix(17)) }
  }

  /// Comes and is let in, or not; who was not does not come again.
  private func connect(_ place: Int) throws(Breach) -> Bool {
    let client = clients[place]
    let ofUser = clients.count { $0.id != nil && $0.peer.uid == client.peer.uid }
    let present = clients.count { $0.id != nil }
    switch agent.admit(client.peer, at: instant) {
    case .admitted(let id):
      note("admits \(client.name)")
      guard client.role != .stranger, present < 64, ofUser < 16, client.isOperator || present < 56 else {
        throw Breach(.wrongAdmission, "\(client.name) was let in beside \(present) others")
      }
      clients[place].id = id
      return true
    case .refused(let refusal):
      note("refuses \(client.name)")
      let isRight =
        switch refusal {
        case .stranger: client.role == .stranger
        case .full: present >= (client.isOperator ? 64 : 56)
        case .userFull: ofUser >= 16
        }
      guard isRight else { throw Breach(.wrongAdmission, "\(client.name) was refused: \(refusal)") }
      (clients[place].nextAct, clients[place].leaves) = (.max, .max)
      return false
    }
  }

  /// Goes without a word, in the middle of whatever it was.
  func leave(_ place: Int) {
    note("loses \(clients[place].name)")
    if let id = clients[place].id { agent.drop(id) }
    forget(place)
  }

  private func forget(_ place: Int) {
    clients[place].id = nil
    (clients[place].nextAct, clients[place].leaves) = (.max, .max)
    clients[place].outgoing = []
  }

  /// The agent closed a connection: only who broke the protocol, ended its input or did not read may be.
  func closed(_ id: ClientID) throws(Breach) {
    guard let place = clients.firstIndex(where: { $0.id == id }) else {
      throw Breach(.wrongAdmission, "somebody who is not there was closed")
    }
    note("closes \(clients[place].name)")
    guard clients[place].role == .vandal || clients[place].hasEnded else {
      throw Breach(.wrongAdmission, "\(clients[place].name) did nothing wrong and was closed")
    }
    forget(place)
  }

  // MARK: Bytes

  /// Moves bytes both ways; true when some moved.
  func exchange(_ place: Int) throws(Breach) -> Bool {
    guard let id = clients[place].id else { return false }
    var hasMoved = false
    let count = min(agent.receivableByteCount(id), clients[place].outgoing.count)
    if count > 0 {
      let bytes = Array(clients[place].outgoing[..<count])
      agent.receive(bytes.span, from: id)
      clients[place].outgoing.removeFirst(count)
      hasMoved = true
    }
    if clients[place].hasEnded, clients[place].outgoing.isEmpty { agent.endInput(id) }
    let drained = drain(id, scene: clients[place].socketBytesMax - clients[place].unread.count)
    guard !drained.isEmpty else {
      guard isEnding, clients[place].role.reads, !clients[place].unread.isEmpty else { return hasMoved }
      try read(place)
      return true
    }
    digest.add(Int64(place))
    digest.add(drained)
    clients[place].unread += drained
    if clients[place].role == .auditor || isEnding { try read(place) }
    return true
  }

  private func drain(_ id: ClientID, scene: Int) -> [UInt8] {
    var drained: [UInt8] = []
    agent.drain(id) { span in
      let count = min(scene, span.count)
      for index in 0..<count { drained.append(span[index]) }
      return count
    }
    return drained
  }

  /// The client reads what it is willing to.
  func read(_ place: Int) throws(Breach) {
    guard clients[place].role.reads else { return }
    let facts = ReplyBook.Facts(epoch: epoch, clients: clients.count { $0.id != nil })
    let bytes = tampered(clients[place].read(), of: place)
    let before = clients[place].book.replyCount
    let entries = try clients[place].book.read(bytes, facts)
    replyCount += clients[place].book.replyCount - before
    for entry in entries {
      guard ledger.agrees(entry) else {
        throw Breach(.wrongReply, "\(clients[place].name) was told another event \(entry.event)")
      }
      if clients[place].role == .auditor { try hearOf(entry.event) }
    }
    if let stranger = clients.first(where: { $0.role == .stranger && !$0.unread.isEmpty }) {
      throw Breach(.unaskedReply, "\(stranger.name) has no right and was sent bytes")
    }
  }

  private func hearOf(_ event: SeenEvent) throws(Breach) {
    note("event \(event.sequence): \(event.kind) \(event.subject) \(event.reason)")
    try referenceModel.check(event, now: now)
  }

  /// What reaches a client in place of what was sent to it.
  private func tampered(_ bytes: [UInt8], of place: Int) -> [UInt8] {
    guard let tampering, !bytes.isEmpty else { return bytes }
    let isEvent = place == 0 && bytes.last == 0 && bytes.starts(with: Self.eventHead)
    switch tampering {
    case .dropsAnEvent where isEvent:
      tamperings += 1
      return tamperings == 3 ? [] : bytes
    case .doublesAnEvent where isEvent:
      tamperings += 1
      return tamperings == 3 ? bytes + bytes : bytes
    case .tellsAStranger where isEvent:
      let strangers = clients.indices.filter { clients[$0].role == .stranger }
      if let stranger = strangers.first { clients[stranger].unread = bytes }
      return bytes
    case .losesAReply where clients[place].role == .caller:
      tamperings += 1
      return tamperings == 1 ? Self.withoutLastReply(bytes) : bytes
    default: return bytes
    }
  }

  private static let eventHead = Array("{\"parameters\":{\"event\"".utf8)

  private static func withoutLastReply(_ bytes: [UInt8]) -> [UInt8] {
    let last = bytes.dropLast().lastIndex(of: 0).map { $0 + 1 } ?? 0
    return Array(bytes[..<last])
  }
}
