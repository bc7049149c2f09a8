// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Registry
import Setup
import DeviceLines
import Varlink
import Wireless

/// `Watch`: the sighting events of all items, or of those that a bridge may see, from the caller's cursor or from now on.
enum WatchMethod: GatewayMethod {
  static let name = GatewayMethodName.watch
  static let lastsUntilClosed = true
  static let bridgeRight = BridgeRight.always

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    var stream = try stream(call.parameters, call.agent)
    stream.bridge = call.client.rights.filteringBridge
    return .stream(stream)
  }

  private static func stream(
    _ parameters: Parameters, _ agent: AgentCore
  ) throws(GatewayError) -> WatchStream {
    let end = EventCursor(epoch: agent.epoch, sequence: agent.dataPath.pipeline.events.produced)
    guard let epoch = try? parameters.stringIfPresent("epoch") else {
      guard parameters["sequence"] == nil else { throw .invalidParameter("epoch") }
      return stream(agent, isReset: false, listsDevices: true, end)
    }
    guard let sequence = try? parameters.integer("sequence"), sequence >= 0 else {
      throw .invalidParameter("sequence")
    }
    let cursor = EventCursor(epoch: agent.epoch, sequence: UInt64(sequence))
    guard epoch == agent.epochText, cursor.sequence <= end.sequence else {
      return stream(agent, isReset: true, listsDevices: true, end)
    }
    return stream(agent, isReset: false, listsDevices: false, cursor)
  }

  private static func stream(
    _ agent: AgentCore, isReset: Bool, listsDevices: Bool, _ cursor: EventCursor
  ) -> WatchStream {
    WatchStream(
      phase: .greeting(isReset: isReset, listsDevices: listsDevices), cursor: cursor,
      nextCondition: agent.feeds.conditions.produced, nextNetwork: agent.feeds.networks.produced)
  }
}

/// The cursor, the devices and networks that an item has found, then one event a reply.
struct WatchStream: ReplyStream {
  fileprivate enum Phase {
    /// Nothing was sent yet. With `isReset` the caller's cursor belongs to another run, or to no event of this one.
    case greeting(isReset: Bool, listsDevices: Bool)
    /// The devices that were found come first.
    case listing(row: Int)
    /// The networks that were found come next; the number is an index among them.
    case listingNetworks(Int)
    case live
  }

  fileprivate var phase: Phase
  fileprivate var cursor: EventCursor
  /// The number of the next connection or change of the radio to report.
  fileprivate var nextCondition: UInt64
  /// The number of the next event of a network to report.
  fileprivate var nextNetwork: UInt64
  /// The caller, if there is something that it may not see.
  fileprivate var bridge: Bridge?
  /// How many events since the last one were not for the bridge.
  fileprivate var passed = 0

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    switch phase {
    case .greeting(let isReset, let listsDevices):
      phase = listsDevices ? .listing(row: 0) : .live
      let time = Seconds(microseconds: agent.radioTime.microseconds)
      let greeting = WatchReply(
        epoch: agent.epochText, sequence: cursor.sequence, time: time, isReset: isReset ? true : nil)
      return .reply(Message.line(greeting))
    case .listing(var row):
      while let found = agent.dataPath.nextFoundRow(from: row) {
        row = found + 1
        phase = .listing(row: row)
        guard let view = agent.dataPath.device(atRow: found) else { return .wait }
        var line = DeviceLine(view)
        line.items.removeAll { !agent.shows(.bluetooth(view.address), of: $0.app, to: bridge) }
        guard line.items.contains(where: \.isFound) else { continue }
        return .reply(Message.line(WatchReply(present: line)))
      }
      phase = .listingNetworks(0)
      return nextReply(agent)
    case .listingNetworks(var index):
      let names = agent.networkSightings.names
      while index < names.count, var line = agent.line(ofNetwork: names[index]) {
        line.items.removeAll { !agent.shows(.network(names[index].bytes), of: $0.app, to: bridge) }
        index += 1
        phase = .listingNetworks(index)
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
        guard agent.shows(.network(event.ssid.bytes), of: event.app, to: bridge) else { continue }
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
      agent.counters.streams.eventsDelivered &+= 1
      return .reply(message)
    }
    while true {
      switch agent.dataPath.pipeline.events.read(&cursor) {
      case .end: return .wait
      case .missed(let count):
        agent.counters.streams.eventsMissed &+= count
        return .reply(Message.line(WatchReply(missed: Int(count))))
      case .reset: preconditionFailure("a watch stands in this run's ring")
      case .event(let sequence, let sighting, let byteCount):
        let app = agent.dataPath.item(of: sighting).app
        guard agent.shows(.bluetooth(sighting.address), of: app, to: bridge) else {
          passed += 1
          continue
        }
        var event = agent.dataPath.event(sequence, of: agent.epochText, sighting, byteCount: byteCount)
        agent.counters.streams.eventsDelivered &+= 1
        (event.passed, passed) = (passed, 0)
        let message = Message.line(WatchReply(event: event))
        if bridge == nil { agent.feeds.messages[sequence] = message }
        return .reply(message)
      }
    }
  }
}

extension AgentCore {
  /// Whether a bridge may see what an app has of a device. nil stands for a caller that may see everything.
  func shows(_ device: DeviceIdentity, of app: String, to bridge: Bridge?) -> Bool {
    guard let bridge else { return true }
    guard bridge.apps.includes(app) else { return false }
    return bridge.forward != .accessories
      || setupCore.grants.grants(of: device).contains { $0.app == app && $0.isAuthorized }
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
    var row = start
    while row < pipeline.rowCount {
      if isFound(at: row) { return row }
      row += 1
    }
    return nil
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
