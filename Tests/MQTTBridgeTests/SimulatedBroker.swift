// SPDX-License-Identifier: GPL-3.0-or-later

import MQTTBridge

/// A broker that receives what a bridge publishes, in order, and acknowledges it when the test lets it.
struct SimulatedBroker {
  /// Everything that it has received, in order.
  private(set) var received: [MQTTMessage] = []
  private(set) var retained: [String: [UInt8]] = [:]
  private(set) var lastWill: MQTTMessage?
  private(set) var filters: Set<String> = []
  private(set) var isConnected = false
  /// What is on the wire to it.
  private var wire: [(number: Int, message: MQTTMessage)] = []
  private(set) var unacknowledged: [Int] = []

  mutating func connect(lastWill: MQTTMessage) {
    self.lastWill = lastWill
    (isConnected, filters, wire, unacknowledged) = (true, [], [], [])
  }

  mutating func publish(_ number: Int, _ message: MQTTMessage) { wire.append((number, message)) }

  /// Receives up to `limit` messages of the wire.
  mutating func receive(limit: Int) {
    for (number, message) in wire.prefix(limit) {
      note(message)
      unacknowledged.append(number)
    }
    wire.removeFirst(min(limit, wire.count))
  }

  private mutating func note(_ message: MQTTMessage) {
    received.append(message)
    guard message.isRetained else { return }
    retained[message.topic] = message.payload.isEmpty ? nil : message.payload
  }

  /// Acknowledges one of the oldest publications.
  mutating func acknowledge(_ index: Int) -> Int? {
    unacknowledged.isEmpty ? nil : unacknowledged.remove(at: index % unacknowledged.count)
  }

  /// The connection ends; what is on the wire is lost, and the last will counts unless the bridge said good-bye.
  mutating func disconnect(isGraceful: Bool = false) {
    if isConnected, !isGraceful, let lastWill { note(lastWill) }
    (isConnected, wire, unacknowledged) = (false, [], [])
  }

  /// It has lost what it keeps in memory.
  mutating func forgetRetained() { retained = [:] }

  mutating func subscribe(_ new: [String]) -> [MQTTMessage] {
    filters.formUnion(new)
    return retained.filter { topic, _ in new.contains { Self.matches($0, topic) } }.sorted { $0.key < $1.key }
      .map {
        MQTTMessage($0.key, $0.value, retained: true)
      }
  }

  mutating func unsubscribe(_ old: [String]) { filters.subtract(old) }

  private static func matches(_ filter: String, _ topic: String) -> Bool {
    let (parts, levels) = (filter.split(separator: "/"), topic.split(separator: "/"))
    return parts.count == levels.count && zip(parts, levels).allSatisfy { $0 == "+" || $0 == $1 }
  }

  func messages(_ topic: String) -> [String] {
    received.filter { $0.topic == topic }.map { String(decoding: $0.payload, as: UTF8.self) }
  }
}
