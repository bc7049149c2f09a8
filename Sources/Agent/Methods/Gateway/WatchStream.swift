// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import Manifest
import Registry
import Setup
import DeviceLines
import Varlink

/// `Watch`: the sighting events of all items, or of those that a bridge may see, from the caller's cursor or from now on:
/// the cursor, the devices and networks that an item has found, then one event a reply.
struct WatchStream: ReplyStream {
  private enum Phase {
    /// The devices that were found come first.
    case listing(row: Int)
    /// The networks that were found come next; the number is an index among them.
    case listingNetworks(Int)
    case live
  }

  /// With as many events of others, the cursor of a bridge that has none moves: fewer than the ring holds.
  private static let passedStep = 256

  private var phase: Phase
  private var cursor: EventCursor
  /// The number of the next connection or change of the radio to report.
  private var nextCondition: UInt64
  /// The number of the next event of a network to report.
  private var nextNetwork: UInt64
  /// The caller, if there is something that it may not see.
  private let bridge: Bridge?
  /// How many events since the last one were not for the bridge.
  private var passed = 0

  private init(_ phase: Phase, _ cursor: EventCursor, _ feeds: EventFeeds, _ bridge: Bridge?) {
    (self.phase, self.cursor, self.bridge) = (phase, cursor, bridge)
    (nextCondition, nextNetwork) = (feeds.conditions.produced, feeds.networks.produced)
  }

  /// `produced` is how many events there were so far, and `time` the radio's.
  static func start(
    _ parameters: Parameters, _ feeds: EventFeeds, produced: UInt64, at time: Instant, bridge: Bridge?
  ) throws(GatewayError) -> CallOutcome {
    var (sequence, phase, isReset) = (produced, Phase.listing(row: 0), false)
    if let epoch = try? parameters.stringIfPresent("epoch") {
      guard let given = try? parameters.integer("sequence"), given >= 0 else {
        throw .invalidParameter("sequence")
      }
      // The caller's cursor may belong to another run, or to no event of this one.
      isReset = epoch != feeds.epochText || given > produced
      if !isReset { (sequence, phase) = (UInt64(given), .live) }
    } else if parameters["sequence"] != nil {
      throw .invalidParameter("epoch")
    }
    let greeting = WatchReply(
      epoch: feeds.epochText, sequence: sequence, time: Seconds(microseconds: time.microseconds),
      isReset: isReset ? true : nil)
    let cursor = EventCursor(epoch: feeds.epoch, sequence: sequence)
    return .stream(WatchStream(phase, cursor, feeds, bridge), first: Message.line(greeting))
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    switch phase {
    case .listing(var row):
      while let found = agent.dataPath.nextFoundRow(from: row) {
        row = found + 1
        phase = .listing(row: row)
        guard let view = agent.dataPath.device(atRow: found) else { return .wait }
        var line = DeviceLine(view)
        if let bridge {
          line.items.removeAll {
            !agent.setupCore.grants.shows(.bluetooth(view.address), of: $0.app, to: bridge)
          }
        }
        guard line.items.contains(where: \.isFound) else { continue }
        return .reply(Message.line(WatchReply(present: line)))
      }
      phase = .listingNetworks(0)
      return nextReply(agent)
    case .listingNetworks(var index):
      while let (name, found) = agent.foundNetwork(index) {
        var line = found
        index += 1
        phase = .listingNetworks(index)
        if let bridge {
          line.items.removeAll { !agent.setupCore.grants.shows(.network(name), of: $0.app, to: bridge) }
        }
        guard line.items.contains(where: \.isFound) else { continue }
        return .reply(Message.line(WatchReply(presentNetwork: line)))
      }
      phase = .live
      return nextReply(agent)
    case .live: return condition(agent) ?? nextNetwork(agent) ?? nextEvent(agent)
    }
  }

  /// The next network that an item has found or lost; nil when there is none.
  private mutating func nextNetwork(_ agent: AgentCore) -> StreamStep? {
    while true {
      switch agent.feeds.networks.read(&nextNetwork) {
      case .end: return nil
      case .missed(let count): return .reply(Message.line(WatchReply(missedNetworks: Int(count))))
      case .reset: preconditionFailure("a watch stands in this run's ring")
      case .element(_, let event):
        let name = DeviceIdentity.network(event.ssid.bytes)
        if let bridge, !agent.setupCore.grants.shows(name, of: event.app, to: bridge) { continue }
        return .reply(Message.line(WatchReply(network: event)))
      }
    }
  }

  /// The next connection that was made or has ended, or the radio's next change; nil when there is none.
  private mutating func condition(_ agent: AgentCore) -> StreamStep? {
    while true {
      switch agent.feeds.conditions.read(&nextCondition) {
      case .end: return nil
      case .missed(let count): return .reply(Message.line(WatchReply(missedConnections: Int(count))))
      case .reset: preconditionFailure("a watch stands in this run's ring")
      case .element(_, .connection(let connection)):
        guard bridge?.apps.includes(connection.app) ?? true else { continue }
        return .reply(Message.line(WatchReply(connection: connection)))
      case .element(_, .radio(let change)): return .reply(Message.line(WatchReply(radioChanged: change)))
      }
    }
  }

  private mutating func nextEvent(_ agent: AgentCore) -> StreamStep {
    let sequence = cursor.sequence
    if bridge == nil, let message = agent.feeds.messages[sequence] {
      cursor.sequence = sequence &+ 1
      agent.feeds.counters.eventsDelivered &+= 1
      return .reply(message)
    }
    while true {
      switch agent.dataPath.pipeline.events.read(&cursor) {
      case .end:
        // Its cursor is not to grow old while only others have events.
        guard passed >= Self.passedStep else { return .wait }
        defer { passed = 0 }
        return .reply(Message.line(WatchReply(passed: passed)))
      case .missed(let count):
        agent.feeds.counters.eventsMissed &+= count
        return .reply(Message.line(WatchReply(missed: Int(count))))
      case .reset: preconditionFailure("a watch stands in this run's ring")
      case .event(let sequence, let sighting, let byteCount):
        let app = agent.dataPath.item(of: sighting).app
        let address = DeviceIdentity.bluetooth(sighting.address)
        if let bridge, !agent.setupCore.grants.shows(address, of: app, to: bridge) {
          passed += 1
          continue
        }
        var event = agent.dataPath.event(sequence, of: agent.feeds.epochText, sighting, byteCount: byteCount)
        agent.feeds.counters.eventsDelivered &+= 1
        (event.passed, passed) = (passed, 0)
        let message = Message.line(WatchReply(event: event))
        if bridge == nil { agent.feeds.messages[sequence] = message }
        return .reply(message)
      }
    }
  }
}

extension Grants {
  /// Whether a bridge may see what an app has of a device.
  fileprivate func shows(_ device: DeviceIdentity, of app: String, to bridge: Bridge) -> Bool {
    bridge.apps.includes(app)
      && (bridge.forward != .accessories
        || grants(of: device).contains { $0.app == app && $0.isAuthorized })
  }
}

/// What operators watch beside sightings.
enum WatchedCondition: Sendable {
  /// A connection was made or has ended.
  case connection(ConnectionLine)
  case radio(RadioChangeLine)
}

extension RadioChangeLine {
  init(_ change: RadioChange, at now: Instant) {
    self.init(
      time: Seconds(microseconds: now.microseconds), state: change.state, detail: change.detail,
      gap: change.gap.map { Seconds(microseconds: $0) })
  }
}

/// The messages of the latest events, so that each is written once however many clients watch.
///
/// Capacity: 64 events. A later event replaces the one 64 before it, which is written again for a client that is that
/// late.
struct EventMessages: Sendable {
  private static let capacity: UInt64 = 64

  private var messages = [(sequence: UInt64, message: [UInt8])?](repeating: nil, count: Int(capacity))

  subscript(_ sequence: UInt64) -> [UInt8]? {
    get {
      guard let entry = messages[Int(sequence % Self.capacity)], entry.sequence == sequence else {
        return nil
      }
      return entry.message
    }
    set { messages[Int(sequence % Self.capacity)] = newValue.map { (sequence, $0) } }
  }
}

extension ManifestDataPath {
  /// The next row whose device an item has found.
  fileprivate func nextFoundRow(from start: Int) -> Int? {
    (start..<max(start, pipeline.rowCount)).first { isFound(at: $0) }
  }

  /// An event of the ring that was just read, with its item's names.
  fileprivate func event(
    _ sequence: UInt64, of epoch: String, _ sighting: Sighting, byteCount: Int
  ) -> EventLine {
    EventLine(
      sequence: sequence, epoch: epoch, sighting: sighting, item: item(of: sighting),
      data: payload(of: sequence, byteCount: byteCount))
  }
}

extension Block128 {
  /// 32 hexadecimal digits, most significant first.
  var text: String { Hex.digits(high, count: 16) + Hex.digits(low, count: 16) }
}
