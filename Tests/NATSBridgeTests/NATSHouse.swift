// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BrokerSupport
import JSON
import NATSBridge

/// A bridge between a simulated agent and a simulated stream, in virtual time.
final class NATSHouse {
  var agent = SimulatedAgent()
  var stream = SimulatedStream()
  private(set) var bridge: NATSBridge
  private(set) var now = Duration.zero
  private(set) var notices: [NATSBridge.Notice] = []
  private(set) var isFinished = false
  /// What was published without a reply.
  private(set) var published: [NATSMessage] = []
  private(set) var connections = 0
  private var openCalls: Set<BridgeCallID> = []
  private var isConnecting = false
  private var isConnected = false

  let configuration: NATSConfiguration
  var acceptsConnections = true
  /// Whether the server receives and replies at once.
  var isPrompt = true

  init(_ configuration: NATSConfiguration = NATSConfiguration()) {
    self.configuration = configuration
    bridge = NATSBridge(configuration, host: "gw", version: "1.2.3")
  }

  /// Kills the bridge, and starts another one, which knows nothing.
  func restartBridge(arrives: Int = 0) {
    stream.disconnect(arrives: arrives)
    for id in openCalls { agent.close(id) }
    (openCalls, isConnecting, isConnected, isFinished) = ([], false, false, false)
    bridge = NATSBridge(configuration, host: "gw", version: "1.2.3")
    handle(.start)
  }

  func endAgent() {
    for id in agent.end() where openCalls.remove(id) != nil {
      handle(.agent(.ended(id, "the agent has ended")))
    }
  }

  func endServer(arrives: Int = 0) {
    guard isConnected || isConnecting else { return }
    stream.disconnect(arrives: arrives)
    (isConnected, isConnecting) = (false, false)
    handle(.serverEnded("closed"))
  }

  // MARK: - The loop

  func handle(_ input: NATSBridge.Input) {
    var inputs = [input]
    while !inputs.isEmpty {
      for effect in bridge.step(inputs.removeFirst(), at: now) { inputs += performEffect(effect) }
      if isPrompt, inputs.isEmpty, isConnected {
        stream.receive(limit: .max)
        while let reply = stream.nextReply(0) { inputs.append(.received(reply)) }
      }
    }
  }

  private func performEffect(_ effect: NATSBridge.Effect) -> [NATSBridge.Input] {
    switch effect {
    case .agent(.open(let id)):
      guard agent.isRunning else { return [.agent(.ended(id, "no agent listens"))] }
      openCalls.insert(id)
      return [.agent(.opened(id))]
    case .agent(.send(let id, let bytes)): return [.agent(.received(id, agent.receive(bytes, on: id)))]
    case .agent(.close(let id)):
      openCalls.remove(id)
      agent.close(id)
    case .agent(.hold(let id, let isHeld)): agent.hold(id, isHeld)
    case .connectServer:
      isConnecting = true
      if isPrompt { return connected() }
    case .disconnectServer:
      stream.disconnect(arrives: 0)
      (isConnected, isConnecting) = (false, false)
    case .request(let number, let message): stream.publish(number, message)
    case .publish(let message): published.append(message)
    case .finish: isFinished = true
    case .log(let notice): notices.append(notice)
    }
    return []
  }

  private func connected() -> [NATSBridge.Input] {
    isConnecting = false
    guard acceptsConnections else { return [.serverEnded("Connection refused")] }
    (isConnected, connections) = (true, connections + 1)
    return [.serverConnected]
  }

  /// Lets the server reply to a connection that waits.
  func connectIfAsked() { if isConnecting { connected().forEach(handle) } }

  func reply(_ index: Int, twice: Bool = false) {
    guard isConnected, let reply = stream.nextReply(index, twice: twice) else { return }
    handle(.received(reply))
  }

  /// Delivers up to `limit` events of the agent.
  func deliver(limit: Int) {
    for (id, bytes) in agent.nextReplies(limit: limit) { handle(.agent(.received(id, bytes))) }
  }

  func change(_ number: Int, name: String?) {
    for (id, bytes) in agent.change(number, name: name) { handle(.agent(.received(id, bytes))) }
  }

  /// Lets time pass, with the events of the agent.
  func pass(_ span: Duration) {
    let end = now + span
    deliver(limit: 10)
    while let due = bridge.nextDeadline, due <= end {
      now = max(now, due)
      handle(.timePassed)
      deliver(limit: 10)
    }
    now = end
    handle(.timePassed)
  }

  // MARK: - What the stream has

  struct Key: Hashable {
    let epoch: String
    let sequence: UInt64
  }

  private func lines(_ subject: String) -> [JSONObjectReader] {
    stream.stored.filter { $0.subject == "acc.gw.\(subject)" }.compactMap { message in
      guard case .object(let object)? = try? JSONReader.read(message.payload.span) else { return nil }
      return JSONObjectReader(object)
    }
  }

  private func key(_ line: JSONObjectReader) -> Key? {
    guard let epoch = try? line.string("epoch"), let sequence: UInt64 = try? line.integer("sequence") else {
      return nil
    }
    return Key(epoch: epoch, sequence: sequence)
  }

  var events: [Key] { lines("event").compactMap(key) }

  /// The numbers that were announced as missed.
  var missed: Set<Key> {
    Set(
      lines("missed").flatMap { line -> [Key] in
        guard let first = key(line), let count: UInt64 = try? line.integer("missed") else { return [] }
        return (0..<count).map { Key(epoch: first.epoch, sequence: first.sequence + $0) }
      })
  }

  /// The runs that were announced, and up to where the one before is complete.
  var resets: [(new: Key, last: Key?)] {
    lines("reset").compactMap { line in
      key(line).map { ($0, ((try? line.objectIfPresent("last")) ?? nil).flatMap(key)) }
    }
  }
}
