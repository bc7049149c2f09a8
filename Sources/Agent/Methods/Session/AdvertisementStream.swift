// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Discovery
import DeviceLines
import HCI
import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Varlink

/// `WatchAdvertisements`: what the accessories of the session's app advertise, from the caller's cursor or from now on: the
/// cursor, the accessories in sight, then one advertisement a reply.
struct AdvertisementStream: ReplyStream {
  enum Phase {
    case greeting(isReset: Bool, listsDevices: Bool)
    case listing(row: Int)
    case live
  }

  let session: Session
  /// Nil for a stream without every reading.
  var readings: ReadingPace?
  var phase: Phase
  var sequence: UInt64
  var gaps: UInt64

  var followsReports: Bool { readings != nil }

  func release(_ agent: AgentCore) {
    if readings != nil { agent.closeReadings(forApp: session.app) }
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard agent.setupCore.isOpen(session.token) else { return .end(Message.reply()) }
    if gaps != agent.feeds.advertisements.gaps {
      gaps = agent.feeds.advertisements.gaps
      sequence = agent.feeds.advertisements.produced(forApp: session.app)
      phase = .greeting(isReset: true, listsDevices: true)
    }
    switch phase {
    case .greeting(let isReset, let listsDevices):
      phase = listsDevices ? .listing(row: 0) : .live
      return .reply(greeting(agent, isReset: isReset))
    case .listing(let row):
      guard let (row, advertisement) = nextPresent(agent, from: row) else {
        phase = .live
        return nextAdvertisement(agent)
      }
      phase = .listing(row: row + 1)
      readings?.noteListed(advertisement)
      return reply(agent, advertisement, sequence)
    case .live: return nextAdvertisement(agent)
    }
  }

  private func greeting(_ agent: AgentCore, isReset: Bool) -> [UInt8] {
    Message.reply(continues: true) { json in
      json.member("epoch", agent.feeds.epochText)
      json.member("sequence", sequence)
      if isReset { json.member("isReset", true) }
    }
  }

  /// The next accessory of the app that is in sight.
  private func nextPresent(_ agent: AgentCore, from start: Int) -> (row: Int, Advertisement)? {
    for row in start..<max(start, agent.dataPath.pipeline.rowCount)
    where agent.dataPath.pipeline.isLive(row) {
      let grants = agent.setupCore.grants.grants(at: agent.dataPath.pipeline.address(at: row))
      guard
        let grant = grants.first(where: {
          $0.app == session.app && agent.setupCore.audience(of: $0).includes(session.token)
        }), let advertisement = agent.dataPath.advertisement(at: row, of: grant, for: .session(session.token))
      else { continue }
      return (row, advertisement)
    }
    return nil
  }

  private mutating func nextAdvertisement(_ agent: AgentCore) -> StreamStep {
    var next = sequence
    let news = agent.feeds.advertisements.read(&next, ofApp: session.app)
    if let reading = readings?.next(agent, session, until: news) { return reply(agent, reading, sequence) }
    sequence = next
    switch news {
    case nil, .end: return .wait
    case .reset: preconditionFailure("a stream stands in its app's feed")
    case .missed(let count):
      agent.feeds.counters.appEventsMissed &+= count
      return .reply(Message.reply(continues: true) { $0.member("missed", count) })
    // Another session's, whose accessory awaits authorization.
    case .element(_, let advertisement) where !advertisement.audience.includes(session.token):
      return nextAdvertisement(agent)
    case .element(let number, let advertisement):
      agent.feeds.counters.appEventsDelivered &+= 1
      return reply(agent, advertisement, number)
    }
  }

  private func reply(_ agent: AgentCore, _ advertisement: Advertisement, _ sequence: UInt64) -> StreamStep {
    let line = advertisement.line(sequence: sequence, epoch: agent.feeds.epochText, now: agent.radioTime)
    let fields = AdvertisementFields(advertisement.payload.span.rawBytes)
    let values = ValueLine.lines(of: [advertisement.payload])
    return .reply(
      Message.reply(continues: true) { json in
        json.object("advertisement") { json in
          line.writeMembers(to: &json)
          json.object("fields") { fields.write(to: &$0, values: values) }
        }
      })
  }
}

/// Where a stream is among the readings of its app, and when each accessory had its last one, so that none comes twice or
/// too early.
///
/// Capacity: the accessories of one app, which the registry limits.
struct ReadingPace {
  let intervalMicroseconds: Int64
  /// The number of the next reading.
  private var sequence: UInt64
  /// When the last reading of each accessory was heard.
  private var sent: [RandomIdentifier: Instant] = [:]
  /// When each accessory had last been heard when the stream listed it.
  private var listed: [RandomIdentifier: Instant] = [:]

  init(intervalMicroseconds: Int64, sequence: UInt64) {
    (self.intervalMicroseconds, self.sequence) = (intervalMicroseconds, sequence)
  }

  mutating func noteListed(_ advertisement: Advertisement) {
    listed[advertisement.accessory] = advertisement.time
  }

  /// Returns the next reading to send that was heard before the next advertisement.
  mutating func next(
    _ agent: AgentCore, _ session: Session, until news: Ring<Advertisement>.Reading?
  ) -> Advertisement? {
    var end = Instant(microseconds: .max)
    switch news {
    case .element(_, let advertisement): end = advertisement.time
    case .missed: return nil
    case nil, .end, .reset: break
    }
    while true {
      var following = sequence
      switch agent.readReading(&following, ofApp: session.app) {
      case nil, .end, .reset: return nil
      case .missed(let count):
        agent.feeds.counters.appEventsMissed &+= count
        sequence = following
      case .element(_, let reading):
        guard reading.time < end else { return nil }
        sequence = following
        guard isDue(reading), reading.audience.includes(session.token) else { continue }
        sent[reading.accessory] = reading.time
        agent.feeds.counters.appEventsDelivered &+= 1
        return reading
      }
    }
  }

  private func isDue(_ reading: Advertisement) -> Bool {
    if let listed = listed[reading.accessory], reading.time <= listed { return false }
    guard let last = sent[reading.accessory] else { return true }
    return reading.time.microseconds &- last.microseconds >= intervalMicroseconds
  }
}
