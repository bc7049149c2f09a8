// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Manifest
import Setup
import VirtualRadio

// The clients: when they connect, what they write and read, and when they leave.

extension Simulation {
  /// The clients of the run, by chance; the auditor is always connected from the start.
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
    .watcher(bytesPerRead: 0), .reporter(.prompt), .reporter(.prompt), .reporter(.init(messagesMax: 50)),
    .reporter(.init(messagesMax: 1)), .reporter(.init(messagesMax: 2, reads: false)),
    .reporter(.init(messagesMax: 0, reads: false)), .caller, .caller, .recorder, .vandal,
    .vandal, .app, .unauthorized, .idler,
  ]

  /// More clients than the agent admits, of several users.
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
    case .unauthorized: dice.pick([1234, 65_534])
    case .app: 2000
    case .auditor, .watcher, .caller, .recorder, .reporter, .vandal, .idler: dice.pick([0, 1001, 1002])
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
    for index in clients.indices {
      if clients[index].leaveTime <= now {
        disconnect(index)
      } else if clients[index].nextAct <= now {
        try act(index)
      }
    }
  }

  private func act(_ index: Int) throws(Breach) {
    clients[index].nextAct = now + Int64(clients[index].dice.pick([3000, 50_000, 400_000, 2_000_000]))
    let isNew = clients[index].id == nil
    if isNew {
      guard try connect(index) else { return }
    }
    let hints = ScriptedClient.Hints(
      epoch: epoch, produced: clients[0].book.watch?.next ?? 0, addresses: addresses,
      items: manifest.items.map(\.item.id))
    if isNew { clients[index].makeFirstCall(hints) } else { clients[index].act(hints) }
    try read(index)
  }

  /// A few addresses that a client might ask about.
  private var addresses: [String] {
    referenceModel.devices.keys.sorted().prefix(6).map { String($0.prefix(17)) }
  }

  /// Connects a client and checks whether it is admitted; one that was refused does not try again.
  private func connect(_ index: Int) throws(Breach) -> Bool {
    let client = clients[index]
    let ofUser = clients.count { $0.id != nil && $0.peer.uid == client.peer.uid }
    let present = clients.count { $0.id != nil }
    let hasSlot = present < 64 && ofUser < 16
    switch agent.admit(client.peer, at: instant) {
    case .admitted(let id) where client.isOperator && !hasSlot:
      note("reserves a place for \(client.name)")
      agent.drop(id)
      forget(index)
      return false
    case .admitted(let id):
      note("admits \(client.name)")
      guard client.role != .unauthorized, hasSlot, client.isOperator || present < 56 else {
        throw Breach(.wrongAdmission, "\(client.name) was admitted beside \(present) others")
      }
      clients[index].id = id
      return true
    case .turnedAway(let id, let reason):
      agent.drop(id)
      return try checkRefusal(index, reason, present: present, ofUser: ofUser)
    case .refused(let reason):
      return try checkRefusal(index, reason, present: present, ofUser: ofUser)
    }
  }

  private func checkRefusal(
    _ index: Int, _ reason: AdmissionError, present: Int, ofUser: Int
  ) throws(Breach) -> Bool {
    let client = clients[index]
    note("refuses \(client.name)")
    let isRight =
      switch reason {
      case .unknownAccount: client.role == .unauthorized
      case .full: present >= (client.isOperator ? 64 : 56)
      case .userFull: ofUser >= 16
      }
    guard isRight else { throw Breach(.wrongAdmission, "\(client.name) was refused: \(reason)") }
    forget(index)
    return false
  }

  /// Disconnects a client without notice, in the middle of whatever it does.
  func disconnect(_ index: Int) {
    note("loses \(clients[index].name)")
    if let id = clients[index].id { agent.drop(id) }
    forget(index)
  }

  private func forget(_ index: Int) {
    clients[index].id = nil
    (clients[index].nextAct, clients[index].leaveTime) = (.max, .max)
    clients[index].outgoing = []
  }

  /// Checks a connection that the agent closed: only a client that broke the protocol or ended its input may be closed.
  func checkClosed(_ id: ClientID) throws(Breach) {
    guard let index = clients.firstIndex(where: { $0.id == id }) else {
      throw Breach(.wrongAdmission, "a client that is not connected was closed")
    }
    note("closes \(clients[index].name)")
    guard clients[index].role == .vandal || clients[index].hasEnded else {
      throw Breach(.wrongAdmission, "\(clients[index].name) did nothing wrong and was closed")
    }
    forget(index)
  }

  // MARK: Bytes

  /// Moves bytes both ways; true when some moved.
  func exchange(_ index: Int) throws(Breach) -> Bool {
    guard let id = clients[index].id else { return false }
    var hasMoved = false
    let count = min(agent.receivableByteCount(id), clients[index].outgoing.count)
    if count > 0 {
      let bytes = Array(clients[index].outgoing[..<count])
      agent.receive(bytes.span, from: id)
      clients[index].outgoing.removeFirst(count)
      hasMoved = true
    }
    if clients[index].hasEnded, clients[index].outgoing.isEmpty { agent.endInput(id) }
    if case .reports(let stream)? = agent.socketToPass(to: id),
      case .reporter(let pace) = clients[index].role
    {
      reportBooks[stream]?.setPace(pace, hasEverything: clients[index].wantsEveryReport)
    }
    let drained = drain(id, byteCountMax: clients[index].socketBytesMax - clients[index].unread.count)
    guard !drained.isEmpty else {
      guard isEnding, clients[index].role.reads, !clients[index].unread.isEmpty else { return hasMoved }
      try read(index)
      return true
    }
    digest.add(Int64(index))
    digest.add(drained)
    clients[index].unread += drained
    if clients[index].role == .auditor || isEnding { try read(index) }
    return true
  }

  private func drain(_ id: ClientID, byteCountMax: Int) -> [UInt8] {
    var drained: [UInt8] = []
    agent.drain(id) { span in
      let count = min(byteCountMax, span.count)
      for offset in 0..<count { drained.append(span[offset]) }
      return count
    }
    return drained
  }

  /// The client reads as many bytes as its role allows.
  func read(_ index: Int) throws(Breach) {
    guard clients[index].role.reads else { return }
    let facts = ReplyBook.Facts(epoch: epoch, clients: clients.count { $0.id != nil })
    let bytes = tampered(clients[index].read(), of: index)
    let before = clients[index].book.replyCount
    let entries = try clients[index].book.read(bytes, facts)
    replyCount += clients[index].book.replyCount - before
    for entry in entries {
      guard log.agrees(with: entry) else {
        throw Breach(.wrongReply, "\(clients[index].name) received another event \(entry.event)")
      }
      if clients[index].role == .auditor { try check(entry.event) }
    }
    let events = clients[index].book.takeNetworkEvents()
    if clients[index].role == .auditor { for event in events { try networkModel.check(event, now: now) } }
    if let client = clients.first(where: { $0.role == .unauthorized && !$0.unread.isEmpty }) {
      throw Breach(.unaskedReply, "\(client.name) is unauthorized and received bytes")
    }
  }

  private func check(_ event: SeenEvent) throws(Breach) {
    note("event \(event.sequence): \(event.kind) \(event.subject) \(event.reason)")
    try referenceModel.check(event, now: now)
  }

  /// The bytes that the client reads in place of those that the agent sent.
  private func tampered(_ bytes: [UInt8], of index: Int) -> [UInt8] {
    guard let tampering, !bytes.isEmpty else { return bytes }
    let isEvent = index == 0 && bytes.last == 0 && bytes.starts(with: Self.eventHead)
    switch tampering {
    case .dropsAnEvent where isEvent:
      tamperings += 1
      return tamperings == 3 ? [] : bytes
    case .doublesAnEvent where isEvent:
      tamperings += 1
      return tamperings == 3 ? bytes + bytes : bytes
    case .sendsToUnauthorizedClient where isEvent:
      let unauthorized = clients.firstIndex { $0.role == .unauthorized }
      if let unauthorized { clients[unauthorized].unread = bytes }
      return bytes
    case .dropsANetworkEvent where index == 0 && bytes.starts(with: Self.networkHead):
      tamperings += 1
      return tamperings == 2 ? [] : bytes
    case .losesAReply where clients[index].role == .caller:
      tamperings += 1
      return tamperings == 1 ? Self.withoutLastReply(bytes) : bytes
    default: return bytes
    }
  }

  private static let networkHead = Array("{\"parameters\":{\"network\"".utf8)
  private static let eventHead = Array("{\"parameters\":{\"event\"".utf8)

  private static func withoutLastReply(_ bytes: [UInt8]) -> [UInt8] {
    let last = bytes.dropLast().lastIndex(of: 0).map { $0 + 1 } ?? 0
    return Array(bytes[..<last])
  }
}
