// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces

/// A stream of reports, from the call that asks for it until it ends.
public struct ReportStreamID: Hashable, Sendable {
  let place: Int
  fileprivate let number: UInt64
}

/// What a socket does with a message.
public enum ReportDelivery: Sendable {
  /// It has the message.
  case sent
  /// It has no room for it.
  case full
  /// Its reader is gone.
  case closed
}

/// The kind of client that reads a stream; metrics count by it.
enum ReportReader: String, CaseIterable, Sendable { case `operator`, bridge }

/// The streams of raw reports: who has them, what they want, and how far their readers are.
///
/// Capacity: eight, two of each bridge, each with a batch in ``ReportBatches``, whose memory is there while a stream is
/// open. A reader that has no room keeps one batch waiting; the reports after it are counted. One that takes nothing for
/// ``AgentCore/patienceMilliseconds`` loses its stream.
struct ReportStreams: ~Copyable {
  /// How many a bridge may have.
  static let bridgeStreamsMax = 2

  /// The state of the radio, as messages give it.
  struct RadioState: Equatable {
    var state: ReportRadioState
    var isActive: Bool
  }

  enum State: Equatable {
    /// The shell makes its sockets.
    case opening
    /// The shell could not, for this reason.
    case failed(String)
    case ready
    /// The reader has no room since then. With `retries` its socket is writable again.
    case full(since: Instant, retries: Bool)
  }

  struct Stream {
    let id: ReportStreamID
    let client: ClientID
    let reader: ReportReader
    /// What the call asked for; nil for the most that the caller may have.
    let forward: ReportForward?
    let apps: Set<String>?
    let patienceMilliseconds: Int64
    var state = State.opening
    /// What the reader knows of the radio; nil before the first message.
    var radio: RadioState?

    /// Whether it has begun, so that reports are kept for it.
    var isLive: Bool { if case .ready = state { true } else if case .full = state { true } else { false } }
  }

  private(set) var streams = [Stream?](repeating: nil, count: ReportBatches.streamsMax)
  /// Reports of streams that are over.
  private var ended: [ReportReader: (passed: UInt64, missed: UInt64)] = [:]
  /// Whether the data path may know of wishes.
  var isFollowed = false
  private(set) var cutOff: UInt64 = 0
  /// The reports of accessories, for their apps.
  var readings = AccessoryReadings()
  private var memory: ArenaOwner<ReportBatches>?
  private var opened: UInt64 = 0

  var isEmpty: Bool { streams.allSatisfy { $0 == nil } }

  subscript(_ id: ReportStreamID) -> Stream? {
    get { streams[id.place].flatMap { $0.id == id ? $0 : nil } }
    set { if streams[id.place]?.id == id { streams[id.place] = newValue } }
  }

  /// Takes a place for a stream; nil when there is none.
  mutating func insert(
    client: ClientID, _ reader: ReportReader, _ forward: ReportForward?, apps: Set<String>?,
    patienceMilliseconds: Int64, _ batches: inout ReportBatches
  ) -> ReportStreamID? {
    guard let place = streams.firstIndex(where: { $0 == nil }) else { return nil }
    if isEmpty {
      let memory = ArenaOwner { ReportBatches(in: &$0) }
      batches = memory.value
      self.memory = consume memory
    }
    opened += 1
    let id = ReportStreamID(place: place, number: opened)
    streams[place] = Stream(
      id: id, client: client, reader: reader, forward: forward, apps: apps,
      patienceMilliseconds: patienceMilliseconds)
    return id
  }

  /// Ends a stream, and gives the memory of the batches back with the last one.
  mutating func remove(_ id: ReportStreamID, isCutOff: Bool, _ batches: inout ReportBatches) {
    guard let stream = self[id] else { return }
    if stream.isLive {
      let (passed, missed) = batches.close(id.place)
      let before = ended[stream.reader] ?? (0, 0)
      ended[stream.reader] = (before.passed &+ passed, before.missed &+ missed)
    }
    if isCutOff { cutOff &+= 1 }
    streams[id.place] = nil
    guard isEmpty else { return }
    batches = ReportBatches()
    memory = nil
  }

  /// How many reports a kind of reader was sent and missed, those that wait in a batch not yet among them.
  func counts(_ reader: ReportReader, _ batches: ReportBatches) -> (sent: UInt64, missed: UInt64) {
    var (passed, missed) = ended[reader] ?? (0, 0)
    for case let stream? in streams where stream.reader == reader && stream.isLive {
      passed &+= batches.passedCount(stream.id.place)
      missed &+= batches.missedCount(stream.id.place)
    }
    return (passed &- missed, missed)
  }
}
