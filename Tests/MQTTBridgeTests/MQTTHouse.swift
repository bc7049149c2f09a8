// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BrokerSupport
import JSON
import MQTTBridge

/// A bridge between a simulated agent and a simulated broker, in virtual time.
final class MQTTHouse {
  var agent = SimulatedAgent()
  var broker = SimulatedBroker()
  private(set) var bridge: MQTTBridge
  private(set) var now = Duration.zero
  private(set) var stored = MQTTBridge.StoredCursor.none
  private(set) var notices: [MQTTBridge.Notice] = []
  private(set) var isFinished = false
  private(set) var once: [MQTTMessage] = []
  /// Bytes that the agent has sent and that are held.
  private var waiting: [BridgeCallID: [UInt8]] = [:]
  private var isConnecting = false

  var configuration: MQTTConfiguration
  /// Whether the broker accepts connections.
  var acceptsConnections = true
  /// Whether the broker receives and acknowledges at once.
  var isPrompt = true
  var isDiskFull = false

  init(_ configuration: MQTTConfiguration = MQTTConfiguration()) {
    self.configuration = configuration
    bridge = Self.make(configuration, .none)
  }

  private static func make(_ configuration: MQTTConfiguration, _ cursor: MQTTBridge.StoredCursor)
    -> MQTTBridge
  {
    MQTTBridge(configuration, host: "gw", version: "1.2.3", cursor: cursor)
  }

  func start() { handle(.start) }

  /// Kills the bridge, and starts another one with what was stored.
  func restartBridge(stored other: MQTTBridge.StoredCursor? = nil) {
    broker.disconnect()
    for id in openCalls { agent.close(id) }
    (openCalls, waiting, isConnecting) = ([], [:], false)
    bridge = Self.make(configuration, other ?? stored)
    start()
  }

  func endAgent() {
    for id in agent.end() where openCalls.remove(id) != nil {
      handle(.agent(.ended(id, "the agent has ended")))
    }
    waiting = [:]
  }

  /// Others have as many events; then the connections with events end, and come again.
  func passOver(_ events: Int) {
    for (id, bytes) in agent.passOver(events) { handle(.agent(.received(id, bytes))) }
    for id in agent.eventCalls {
      agent.close(id)
      handle(.agent(.ended(id, "closed")))
    }
    pass(.seconds(1))
  }

  func endBroker(_ reason: String = "closed") {
    guard broker.isConnected || isConnecting else { return }
    broker.disconnect()
    isConnecting = false
    handle(.brokerEnded(reason))
  }

  func change(_ number: Int, name: String?) {
    for (id, bytes) in agent.change(number, name: name) { handle(.agent(.received(id, bytes))) }
  }

  private var openCalls: Set<BridgeCallID> = []

  // MARK: - The loop

  func handle(_ input: MQTTBridge.Input) {
    var inputs = [input]
    while !inputs.isEmpty {
      for effect in bridge.step(inputs.removeFirst(), at: now) { inputs += performEffect(effect) }
      if isPrompt, inputs.isEmpty { inputs += acknowledgeAll() }
    }
  }

  private func acknowledgeAll() -> [MQTTBridge.Input] {
    broker.receive(limit: .max)
    var inputs: [MQTTBridge.Input] = []
    while let number = broker.acknowledge(0) { inputs.append(.acknowledged(number)) }
    return inputs
  }

  private func performEffect(_ effect: MQTTBridge.Effect) -> [MQTTBridge.Input] {
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
    case .connectBroker(let lastWill):
      isConnecting = true
      will = lastWill
      if isPrompt { return connected() }
    case .disconnectBroker:
      broker.disconnect(isGraceful: true)
      isConnecting = false
    case .publish(let number, let message): broker.publish(number, message)
    case .publishOnce(let message): once.append(message)
    case .subscribe(let filters): return broker.subscribe(filters).map { .received($0) }
    case .unsubscribe(let filters): broker.unsubscribe(filters)
    case .store(let cursor):
      if isDiskFull { return [.notStored(cursor, "No space left on device")] }
      stored = .known(cursor)
    case .finish: isFinished = true
    case .log(let notice): notices.append(notice)
    }
    return []
  }

  private var will = MQTTMessage("", [])

  private func connected() -> [MQTTBridge.Input] {
    isConnecting = false
    guard acceptsConnections else { return [.brokerEnded("Connection refused")] }
    broker.connect(lastWill: will)
    return [.brokerConnected]
  }

  /// Lets the broker reply to a connection that waits.
  func connectIfAsked() { if isConnecting { connected().forEach(handle) } }

  func acknowledge(_ index: Int, twice: Bool = false) {
    guard let number = broker.acknowledge(index) else { return }
    handle(.acknowledged(number))
    if twice { handle(.acknowledged(number)) }
  }

  /// Delivers up to `limit` events of the agent.
  func deliver(limit: Int) {
    for (id, bytes) in agent.nextReplies(limit: limit) { handle(.agent(.received(id, bytes))) }
  }

  /// Lets time pass, with the events of the agent; the broker does what it does at once if it is prompt.
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

  // MARK: - What came

  struct Key: Hashable {
    let epoch: String
    let sequence: UInt64
  }

  private func lines(_ topic: String) -> [JSONObjectReader] {
    broker.received.filter { $0.topic == topic }.compactMap { message in
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

  /// The events that the broker has, doubles included.
  var events: [Key] { lines("accessoryd/gw/event").compactMap(key) }

  /// The numbers that were announced as missed.
  var missed: Set<Key> {
    Set(
      lines("accessoryd/gw/missed").flatMap { line -> [Key] in
        guard let first = key(line), let count: UInt64 = try? line.integer("missed") else { return [] }
        return (0..<count).map { Key(epoch: first.epoch, sequence: first.sequence + $0) }
      })
  }

  /// The new runs that were announced, and where reading the one before ended.
  var resets: [(epoch: String, last: Key?)] {
    lines("accessoryd/gw/reset").compactMap { line in
      guard let epoch = try? line.string("epoch") else { return nil }
      return (epoch, ((try? line.objectIfPresent("last")) ?? nil).flatMap(key))
    }
  }

  func text(_ topic: String) -> String? { broker.retained[topic].map { String(decoding: $0, as: UTF8.self) } }
}
