// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import Registry
import Setup
import Varlink

/// `Watch`: the open requests with their candidates, and how they end: what has changed since the last reply, one request or
/// candidate a reply.
///
/// It keeps no backlog: a client that reads slowly gets what is true when it reads.
struct RequestStream: ReplyStream {
  /// Levels and ages are sent again after this long.
  private static let candidateMilliseconds: Int64 = 250
  /// Other changes are sent after this long.
  private static let pauseMilliseconds: Int64 = 50
  /// Devices that cannot become candidates are counted again after this long while there are no candidates.
  private static let hindranceMilliseconds: Int64 = 1000
  /// A candidate that was heard again is sent once in this long, even if nothing else has changed.
  private static let ageMicroseconds: Int64 = 1_000_000

  private struct Sent {
    var request: RequestLine
    var candidates: [UInt32: (line: CandidateLine, lastHeard: Int64)] = [:]
  }

  /// What the client's person can do while a device is paired; nothing for a bridge, which may not call AnswerPairing.
  let capabilities: PersonCapabilities
  /// The apps whose requests it has; nil for all.
  let visibleApps: Set<String>?
  private var sent: [RandomIdentifier: Sent] = [:]
  /// Found in one comparison, and not yet sent; bounded by what can be open.
  private var changes: [PickerReply] = []
  private var isSynced = false
  private var comparedAt: Instant?
  /// Requests have changed since the last comparison.
  var hasNews = false

  init(capabilities: PersonCapabilities, visibleApps: Set<String>?) {
    (self.capabilities, self.visibleApps) = (capabilities, visibleApps)
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    if changes.isEmpty, let due = nextComparison(agent), due <= agent.now {
      comparedAt = agent.now
      hasNews = false
      collectChanges(agent)
    }
    guard changes.isEmpty else { return reply(changes.removeFirst()) }
    guard !isSynced else { return .wait }
    isSynced = true
    return reply(.synced)
  }

  private func reply(_ reply: PickerReply) -> StreamStep { .reply(Message.line(reply)) }

  func deadline(_ agent: AgentCore) -> Instant? { changes.isEmpty ? nextComparison(agent) : nil }

  /// When the requests are compared with what was sent; nil while nothing changes.
  private func nextComparison(_ agent: AgentCore) -> Instant? {
    guard let comparedAt else { return agent.now }
    if hasNews {
      return comparedAt.advanced(milliseconds: Self.pauseMilliseconds)
    }
    let pickers = agent.setupCore.requests.filter { $0.picker != nil }
    guard !pickers.isEmpty else { return nil }
    return comparedAt.advanced(
      milliseconds: pickers.contains(where: \.hasCandidates)
        ? Self.candidateMilliseconds : Self.hindranceMilliseconds)
  }

  private mutating func collectChanges(_ agent: AgentCore) {
    for id in sent.keys.sorted(by: { $0.text < $1.text }) where agent.setupCore.request(id) == nil {
      sent[id] = nil
      changes.append(.closed(id.text, RequestEnding(agent.setupCore.outcome(of: id))))
    }
    for request in agent.setupCore.requests where visibleApps.includes(request.app) {
      collectChanges(of: request, agent)
    }
  }

  private mutating func collectChanges(of request: SetupFlow, _ agent: AgentCore) {
    let line = agent.line(of: request)
    var known = sent[request.id] ?? Sent(request: line)
    if sent[request.id]?.request != line { changes.append(.request(line)) }
    known.request = line
    let present = agent.candidates(of: request, visibleApps)
    for number in known.candidates.keys.sorted()
    where !present.contains(where: { $0.line.candidate == number }) {
      known.candidates[number] = nil
      changes.append(.gone(number, of: request.id.text))
    }
    for (line, lastHeard) in present {
      if let before = known.candidates[line.candidate], line.isLike(before.line),
        lastHeard - before.lastHeard < Self.ageMicroseconds
      {
        continue
      }
      known.candidates[line.candidate] = (line, lastHeard)
      changes.append(.candidate(line, of: request.id.text))
    }
    sent[request.id] = known
  }
}

extension SetupFlow {
  fileprivate var hasCandidates: Bool { picker.map { !$0.candidates.candidates.isEmpty } ?? false }
}

extension CandidateLine {
  /// Whether a person would see the same.
  fileprivate func isLike(_ other: CandidateLine) -> Bool {
    var same = other
    same.silence = silence
    same.rssi = rssi
    same.intervalMilliseconds = intervalMilliseconds
    return same == self
  }
}

extension RequestEnding {
  fileprivate init(_ outcome: RequestOutcome?) {
    self.init(
      accessory: outcome?.accessory?.text, displayName: outcome?.displayName,
      failure: outcome?.failure?.code.name, reason: outcome?.failure?.reason)
    pairing = outcome?.pairing
    isBondAuthenticated = outcome?.isBondAuthenticated
  }
}
