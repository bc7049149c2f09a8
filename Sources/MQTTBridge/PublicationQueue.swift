// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BrokerFeed

/// Messages to be published, and whether the broker has acknowledged them.
///
/// Events are published in order, and stay until they are acknowledged. Of a retained topic only the latest payload counts.
/// Capacity: ``window`` messages are on their way at a time. The owner stops adding events while ``isFull``; results are
/// bounded by ``resultsMax``, the oldest are dropped. Retained topics are as many as accessories have.
struct PublicationQueue: Sendable {
  private struct Topic: Sendable {
    var wanted: [UInt8]
    /// What the broker has acknowledged on this connection.
    var stored: [UInt8]?
    /// What is on its way.
    var sent: (number: Int, payload: [UInt8])?
  }

  /// A publication for the loop, and its number.
  struct Publication: Equatable, Sendable {
    let number: Int
    let message: MQTTMessage
  }

  static let window = 20
  private static let resultsMax = 64

  private var events = EventWindow<MQTTMessage>(width: Self.window)
  private var topics: [String: Topic] = [:]
  /// Topics whose payload is to be published, in order; a topic is in it once.
  private var waiting: [String] = []
  private var results: [MQTTMessage] = []
  private var underway: Set<Int> = []
  private var lastNumber = 0
  /// How many results were dropped.
  private(set) var droppedResults = 0

  /// Whether no more events are to be added now. Those of one read of the socket still fit.
  var isFull: Bool { events.isFull }
  /// Whether events may be added again.
  var hasSpace: Bool { events.hasSpace }
  var isWaiting: Bool { !underway.isEmpty }
  var isEmpty: Bool { events.isEmpty && waiting.isEmpty && results.isEmpty && underway.isEmpty }

  mutating func add(event message: MQTTMessage, next cursor: EventCursor) {
    events.add(message, next: cursor)
  }

  mutating func add(result message: MQTTMessage) {
    if results.count == Self.resultsMax {
      results.removeFirst()
      droppedResults += 1
    }
    results.append(message)
  }

  /// Says what a retained topic is to have; nothing removes it.
  mutating func set(_ topic: String, _ payload: [UInt8]) {
    guard topics[topic]?.wanted != payload || topics[topic]?.stored == nil else { return }
    topics[topic, default: Topic(wanted: payload)].wanted = payload
    enqueue(topic)
  }

  /// Whether a retained topic has something, or is still to be removed.
  func has(_ topic: String) -> Bool { topics[topic] != nil }

  /// Publishes a retained topic again.
  mutating func renew(_ topic: String) {
    guard topics[topic] != nil else { return }
    topics[topic]?.stored = nil
    enqueue(topic)
  }

  private mutating func enqueue(_ topic: String) {
    guard let state = topics[topic], state.sent == nil, state.stored != state.wanted, !waiting.contains(topic)
    else {
      return
    }
    waiting.append(topic)
  }

  /// Takes what the window allows to be published now: retained topics first, because they are few, then results and events.
  mutating func next() -> [Publication] {
    var taken: [Publication] = []
    while underway.count < Self.window, let publication = nextOne() { taken.append(publication) }
    return taken
  }

  private mutating func nextOne() -> Publication? {
    while let topic = waiting.first {
      waiting.removeFirst()
      guard let payload = topics[topic]?.wanted, topics[topic]?.stored != payload else { continue }
      let publication = number(MQTTMessage(topic, payload, retained: true))
      topics[topic]?.sent = (publication.number, payload)
      return publication
    }
    if let result = results.first {
      results.removeFirst()
      return number(result)
    }
    guard let (number, message) = events.sendNext(at: .zero, number: lastNumber + 1) else { return nil }
    lastNumber = number
    underway.insert(number)
    return Publication(number: number, message: message)
  }

  private mutating func number(_ message: MQTTMessage) -> Publication {
    lastNumber += 1
    underway.insert(lastNumber)
    return Publication(number: lastNumber, message: message)
  }

  /// The broker has a publication. Returns the position after the events that it has without a gap, if that has moved.
  mutating func acknowledge(_ number: Int) -> EventCursor? {
    guard underway.remove(number) != nil else { return nil }
    if let topic = topics.first(where: { $0.value.sent?.number == number })?.key {
      acknowledge(topic)
      return nil
    }
    return events.acknowledge(number)
  }

  private mutating func acknowledge(_ topic: String) {
    guard let payload = topics[topic]?.sent?.payload else { return }
    topics[topic]?.sent = nil
    topics[topic]?.stored = payload
    if topics[topic]?.wanted == payload {
      if payload.isEmpty { topics[topic] = nil }
    } else {
      enqueue(topic)
    }
  }

  /// The connection has ended: everything is published again on the next one, but acknowledged events.
  mutating func disconnect() {
    underway = []
    results = []
    events.disconnect()
    waiting = topics.keys.sorted()
    for topic in waiting {
      topics[topic]?.sent = nil
      topics[topic]?.stored = nil
    }
  }

  /// Other topics take the place of all retained ones.
  mutating func forgetTopics() { (topics, waiting) = ([:], []) }
}
