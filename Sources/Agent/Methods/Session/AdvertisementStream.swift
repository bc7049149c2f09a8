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
    switch agent.feeds.advertisements.read(&sequence, ofApp: session.app) {
    case nil, .end: return nextReading(agent)
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

  /// The next accessory of the app that was heard since its last reading, if the stream is for readings too.
  private mutating func nextReading(_ agent: AgentCore) -> StreamStep {
    guard readings != nil else { return .wait }
    var due: (grant: Grants.Grant, row: Int)?
    agent.setupCore.grants.forEach { grant, address in
      guard grant.app == session.app, due.map({ grant.number < $0.grant.number }) ?? true,
        agent.setupCore.audience(of: grant).includes(session.token),
        let row = agent.dataPath.row(at: address), let device = agent.dataPath.pipeline.device(at: row),
        readings?.isDue(grant.identifier, device, at: agent.radioTime) ?? false
      else { return }
      due = (grant, row)
    }
    guard let due, let device = agent.dataPath.pipeline.device(at: due.row) else { return .wait }
    readings?.note(due.grant.identifier, device, at: agent.radioTime)
    let audience = Audience.session(session.token)
    guard let reading = agent.dataPath.advertisement(at: due.row, of: due.grant, for: audience, as: .reading)
    else {
      return nextReading(agent)
    }
    return reply(agent, reading, sequence)
  }
}

/// When each accessory had its last reading in a stream, so that none comes twice or too early.
///
/// Capacity: the accessories of one app, which the registry limits.
struct ReadingPace {
  let intervalMicroseconds: Int64
  private var sent: [RandomIdentifier: (reportCount: UInt32, at: Instant)] = [:]

  init(intervalMicroseconds: Int64) { self.intervalMicroseconds = intervalMicroseconds }

  func isDue(_ accessory: RandomIdentifier, _ device: Device, at now: Instant) -> Bool {
    guard let last = sent[accessory] else { return true }
    return device.reportCount != last.reportCount
      && now.microseconds &- last.at.microseconds >= intervalMicroseconds
  }

  mutating func note(_ accessory: RandomIdentifier, _ device: Device, at now: Instant) {
    sent[accessory] = (device.reportCount, now)
  }
}
