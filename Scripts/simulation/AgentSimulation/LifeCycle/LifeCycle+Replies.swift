// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Interfaces
import JSON
import Registry
import Setup
import TestSupport
import Varlink
import VarlinkClient

// The replies to the actors, and what they must agree with.

extension LifeCycle {
  /// Moves bytes both ways; true when some moved.
  func exchange(_ index: Int) throws(Breach) -> Bool {
    guard let id = actors[index].id else { return false }
    var hasMoved = false
    let count = min(agent.receivableByteCount(id), actors[index].outgoing.count)
    if count > 0 {
      let bytes = Array(actors[index].outgoing[..<count])
      agent.receive(bytes.span, from: id)
      actors[index].outgoing.removeFirst(count)
      hasMoved = true
    }
    let byteCountMax = max(0, (actors[index].bytesPerRead == 0 ? 1 << 20 : 2048) - actors[index].unread.count)
    var drained: [UInt8] = []
    agent.drain(id) { span in
      let count = min(byteCountMax, span.count)
      for offset in 0..<count { drained.append(span[offset]) }
      return count
    }
    if !drained.isEmpty {
      digest.add(Int64(index))
      digest.add(drained)
      actors[index].unread += drained
    }
    if actors[index].bytesPerRead == 0 || isEnding { try read(index) }
    return hasMoved || !drained.isEmpty
  }

  func read(_ index: Int) throws(Breach) {
    for byte in actors[index].read(all: isEnding) {
      guard byte == 0 else {
        actors[index].partial.append(byte)
        continue
      }
      let message = actors[index].partial
      actors[index].partial = []
      for message in tampered(message, index) { try readMessage(message, index) }
    }
  }

  private func readMessage(_ message: [UInt8], _ index: Int) throws(Breach) {
    replyCount += 1
    let name = actors[index].name
    guard let reply = ReceivedReply(reading: message.span), let call = actors[index].pending.first,
      !reply.continues || call.wantsMore
    else { throw Breach(.unaskedReply, "\(name) read \(String(decoding: message, as: UTF8.self))") }
    note("\(name) \(index) reads \(String(decoding: message.prefix(300), as: UTF8.self))")
    if !reply.continues {
      actors[index].pending.removeFirst()
      if !actors[index].pending.isEmpty { actors[index].pending[0].sentAt = now }
    }
    if let error = reply.error { try checkError(error, call, name) }
    if actors[index].isApp { try checkIsolation(reply, call, message, actors[index]) }
    if reply.error == nil {
      try follow(reply, call, index)
    } else if call.method.hasSuffix(".Activate"), actors[index].book?.isInvalidated != true {
      actors[index].book = nil
    }
  }

  /// Checks that a method's interface states the error.
  private func checkError(_ error: String, _ call: ActorCall, _ name: String) throws(Breach) {
    guard let dot = call.method.lastIndex(of: "."), let text = Self.texts[String(call.method[..<dot])],
      !text.names(error, of: String(call.method[call.method.index(after: dot)...]))
    else { return }
    throw Breach(.wrongReply, "\(name) was refused \(call.method) with \(error), which it does not state")
  }

  private static let texts: [String: InterfaceText] = [
    SessionInterface.name: InterfaceText(String(decoding: SessionInterface.text, as: UTF8.self)),
    OperatorInterface.name: InterfaceText(String(decoding: OperatorInterface.text, as: UTF8.self)),
    GatewayInterface.name: InterfaceText(String(decoding: GatewayInterface.text, as: UTF8.self)),
  ]

  private func follow(_ reply: ReceivedReply, _ call: ActorCall, _ index: Int) throws(Breach) {
    let parameters = reply.parameters
    switch actors[index].role {
    case .streamer:
      guard reply.continues else { return }
      let (name, run) = ("\(actors[index].name) \(index)", (epoch, takenBack))
      try actors[index].book?.readReply(parameters, of: run, &logs, name)
      if tampering == .sendsToAnotherApp { try sendToAnotherApp(reply, index) }
      if let token = parameters.text("session"), let app = parameters.text("app") {
        knowledge.tokens.append((token, actors[index].peer.uid, app))
        knowledge.tokenUsers[token] = actors[index].peer.uid
      }
    case .watcher:
      let name = actors[index].name
      try actors[index].watched.readReply(parameters, name)
      if let request = parameters.text("of"), let number = parameters.object("candidate")?.number("candidate")
      {
        knowledge.candidates.append((request, number))
        if let address = parameters.object("candidate")?.text("address"),
          !knowledge.addresses.contains(address)
        {
          knowledge.addresses = knowledge.addresses.suffix(5) + [address]
        }
      }
    case .app, .operator:
      if case .string(let line)? = parameters["line"] {
        if line.contains("version") { knowledge.exported = [] }
        knowledge.exported.append(line)
      }
      if !reply.continues { try checkAcknowledged(call, parameters, index) }
    case .listener, .opener: break
    }
  }

  // MARK: On disk

  /// Checks that an acknowledged change is on disk.
  private func checkAcknowledged(
    _ call: ActorCall, _ reply: JSONObject, _ index: Int
  ) throws(Breach) {
    guard isOnDisk(call, reply) else {
      throw Breach(.registry, "\(call.method) was acknowledged and is not on disk")
    }
    if let picker = reply.text("picker") { knowledge.shown[picker] = call.session }
    if call.method == ActorCall.picker + "Choose", let request = call.request,
      !knowledge.onBehalf.contains(request), !knowledge.chosen.insert(request).inserted
    {
      throw Breach(.registry, "\(request) was decided twice")
    }
  }

  private func saved(_ text: String?) -> RegistryAccessory? {
    guard let text, let identifier = RandomIdentifier(text: text) else { return nil }
    return disk.saved.accessory(identifier)
  }

  private func isOnDisk(_ call: ActorCall, _ reply: JSONObject) -> Bool {
    let known = saved(call.accessory)
    switch call.method {
    case "io.accessoryd.Session.RemoveAccessory", "io.accessoryd.Session.FailAuthorization",
      "io.accessoryd.Operator.Remove":
      return known == nil
    case "io.accessoryd.Session.FinishAuthorization": return known?.state == .authorized
    case "io.accessoryd.Operator.Rename":
      guard let known else { return false }
      return disk.saved.device(of: known).displayName == call.name
    case "io.accessoryd.Operator.Reset": return disk.saved.isEmpty
    case "io.accessoryd.Operator.Choose":
      return saved(reply.text("accessory")) != nil
        && (call.accessory == nil || call.accessory == reply.text("accessory"))
    default: return true
    }
  }

  // MARK: Isolation

  func checkIsolation(
    _ reply: ReceivedReply, _ call: ActorCall, _ message: [UInt8], _ actor: Actor
  ) throws(Breach) {
    var message = message
    var app: String? = call.app
    if app == nil, call.subject != .foreignToken { app = reply.parameters.text("app") ?? actor.book?.app }
    let isResolve = call.method == ActorCall.session + "Resolve"
    try checkTexts(.object(reply.parameters), app, actor, mayResolve: isResolve)
    // While the file cannot be used or the disk does not answer, every call is refused for that reason.
    let isLate = reply.parameters.text("reason")?.hasPrefix("the disk has not answered in time") == true
    if !disk.isOpen || isLate, reply.error == "io.accessoryd.Session.Unknown", call.subject != .own { return }
    switch call.subject {
    case .none, .own: return
    case .foreignToken:
      guard reply.error == "io.accessoryd.Session.Invalidated" else { throw wrongReply(actor, message) }
      let expected = knowledge.tokenRefusal ?? message
      knowledge.tokenRefusal = expected
      guard expected == message else { throw wrongReply(actor, message) }
    case .foreignAccessory:
      // Its own session may have ended meanwhile.
      if message == knowledge.tokenRefusal || reply.error == "io.accessoryd.Session.Invalidated" { return }
      guard reply.error == "io.accessoryd.Session.InvalidRequest" else { throw wrongReply(actor, message) }
      if tampering == .refusesInOtherWords, knowledge.accessoryRefusal != nil { message.append(0x20) }
      let expected = knowledge.accessoryRefusal ?? message
      knowledge.accessoryRefusal = expected
      guard expected == message else { throw wrongReply(actor, message) }
    }
  }

  private func wrongReply(_ actor: Actor, _ message: [UInt8]) -> Breach {
    Breach(.isolation, "\(actor.name) received \(String(decoding: message, as: UTF8.self))")
  }

  /// Checks every text in a message to an app: identifiers, tokens and names are its own, and only Resolve gives
  /// addresses.
  private func checkTexts(
    _ element: JSONValue, _ app: String?, _ actor: Actor, mayResolve: Bool
  ) throws(Breach) {
    switch element {
    case .null, .bool, .integer, .double: return
    case .array(let elements):
      for element in elements { try checkTexts(element, app, actor, mayResolve: mayResolve) }
    case .object(let object):
      for member in object.members { try checkTexts(member.value, app, actor, mayResolve: mayResolve) }
    case .string(let text):
      let owner: String? = knowledge.owners[text]
      let user: UInt32? = knowledge.tokenUsers[text]
      let isOwn: Bool = owner == nil || owner == app
      let isKnown: Bool = user == nil || user == actor.peer.uid
      let readers: Set<String>? = knowledge.names[text]
      let isNamed: Bool = readers == nil || readers?.contains(app ?? "") == true
      let isAddress: Bool = text.utf8.count == 17 && text.split(separator: ":").count == 6
      guard isOwn, isKnown, isNamed || !text.hasPrefix("named-"), mayResolve || !isAddress else {
        throw Breach(.isolation, "\(actor.name), as \(app ?? "no app"), received \(text)")
      }
    }
  }

  /// Notes the agent's identifiers and names before any client receives them.
  func updateKnowledge() {
    let registry = agent.setupCore.registry
    for accessory in registry.accessories {
      // An import has added it again; if it is removed once more, that is an event of this run.
      takenBack[accessory.app]?.remove(accessory.identifier.text)
      for identifier in [accessory.identifier, accessory.bluetoothIdentifier].compactMap(\.self)
      where knowledge.owners[identifier.text] == nil {
        knowledge.owners[identifier.text] = accessory.app
        if identifier == accessory.identifier { knowledge.identifiers.append(identifier.text) }
      }
      knowledge.names[registry.device(of: accessory).displayName, default: []].insert(accessory.app)
    }
    for request in agent.setupCore.requests where knowledge.owners[request.id.text] == nil {
      knowledge.owners[request.id.text] = request.app
      knowledge.requests.append(request.id.text)
      if request.isOnBehalf { knowledge.onBehalf.insert(request.id.text) }
    }
  }
}
