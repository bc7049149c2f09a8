// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Discovery
public import HCI
import Interfaces
import Setup
import Varlink

// Streams of raw reports: opened by a call, filled by the data path, sent by the shell.

extension AgentCore {
  /// The most streams that the shell has sockets for at a time.
  public static let reportStreamsMax = ReportBatches.streamsMax

  // MARK: - What the shell reports

  /// The shell has a socket for the stream, and keeps its own end until ``Action/closeReports(_:)``.
  public func reportsOpened(_ id: ReportStreamID, at time: Instant) {
    turn.advance(to: time)
    turn.outlook.isOld = true
    guard let stream = reports[id], stream.state == .opening else { return enqueue(.closeReports(id)) }
    reports[id]?.state = .ready
    dataPath.pipeline.reports.open(
      id.place, patienceMilliseconds: stream.patienceMilliseconds, at: radioTime)
    followReportWants()
    turn.isBusy = true
  }

  /// The shell could not make a socket for the stream, for a reason that is a sentence for operators.
  public func reportsFailed(_ id: ReportStreamID, _ reason: String, at time: Instant) {
    turn.advance(to: time)
    turn.outlook.isOld = true
    reports[id]?.state = .failed(reason)
    turn.isBusy = true
  }

  /// The socket of a stream has room again.
  public func reportsWritable(_ id: ReportStreamID) {
    guard case .full(let since, _)? = reports[id]?.state else { return }
    reports[id]?.state = .full(since: since, retries: true)
  }

  /// The reader of a stream has closed its socket.
  public func reportsClosed(_ id: ReportStreamID) { endReports(id) }

  /// Whether some batch is full. Until it was sent, reports of its stream may be missed.
  public var hasFullReportBatch: Bool { dataPath.pipeline.reports.full != 0 }

  /// Offers each message that is due to `send`, the batches that are full among them. The data path waits for none.
  public func sendReports(_ send: (ReportStreamID, RawSpan) -> ReportDelivery) {
    for place in reports.streams.indices {
      guard let stream = reports.streams[place], stream.isLive else { continue }
      switch stream.state {
      case .full(let since, false):
        guard since.advanced(milliseconds: Self.patienceMilliseconds) <= now else { continue }
        enqueue(.log(.reportsCutOff(user: clients[stream.client]?.peer.uid ?? 0)))
        endReports(stream.id, isCutOff: true)
      case .ready where !isDue(stream): continue
      case .ready, .full, .opening, .failed: deliver(stream, send)
      }
    }
  }

  /// What is to be sent of the radio, and which batch.
  private func isDue(_ stream: ReportStreams.Stream) -> Bool {
    if stream.radio != reportedRadio || dataPath.pipeline.reports.full & 1 << UInt8(stream.id.place) != 0 {
      return true
    }
    return dataPath.pipeline.reports.due(stream.id.place).map { $0 <= radioTime } ?? false
  }

  private func deliver(
    _ stream: ReportStreams.Stream, _ send: (ReportStreamID, RawSpan) -> ReportDelivery
  ) {
    let place = stream.id.place
    // What came before a change of the radio is sent before it.
    if dataPath.pipeline.reports.hasRecords(place) {
      guard notePassing(send(stream.id, dataPath.pipeline.reports.batch(place)), of: stream) else { return }
    }
    dataPath.pipeline.reports.batchWasSent(place)
    let radio = reportedRadio
    if stream.radio != radio {
      let message = radio.message(
        passed: dataPath.pipeline.reports.passedCount(place),
        missed: dataPath.pipeline.reports.missedCount(place))
      guard notePassing(send(stream.id, message.span.rawBytes), of: stream) else { return }
    }
    reports[stream.id]?.radio = radio
    reports[stream.id]?.state = .ready
  }

  /// Returns whether a message was sent.
  private func notePassing(_ delivery: ReportDelivery, of stream: ReportStreams.Stream) -> Bool {
    switch delivery {
    case .sent:
      feeds.counters.reportBatches &+= 1
      if case .full = stream.state { reports[stream.id]?.state = .full(since: now, retries: true) }
      return true
    case .full:
      dataPath.pipeline.reports.batchWasHeldBack(stream.id.place)
      var since = now
      if case .full(let before, _)? = reports[stream.id]?.state { since = before }
      reports[stream.id]?.state = .full(since: since, retries: false)
    case .closed: endReports(stream.id)
    }
    return false
  }

  private var reportedRadio: ReportStreams.RadioState {
    let state: ReportRadioState =
      switch radioStateForApps {
      case .on: .on
      case .off: .off
      case .recovering: .recovering
      case .absent: .absent
      }
    return ReportStreams.RadioState(state: state, isActive: radio.isActive ?? false)
  }

  /// When the next batch is due, or the patience with a reader ends.
  var reportDeadline: Instant? {
    var earliest: Instant?
    for case let stream? in reports.streams where stream.isLive {
      switch stream.state {
      case .full(let since, let retries):
        let end = since.advanced(milliseconds: Self.patienceMilliseconds)
        earliest = .earliest(earliest, retries ? now : end)
      case .ready, .opening, .failed:
        let due = dataPath.pipeline.reports.due(stream.id.place)
        earliest = .earliest(
          earliest, due.map { Instant(microseconds: $0.microseconds &- turn.radioLead) })
      }
    }
    return earliest
  }

  // MARK: - Begin and end

  /// How long a report may wait for others, unless the call says it.
  private static let batchMilliseconds: Int64 = 100

  /// Has a stream opened for a client, as `WatchReports` asks.
  func openReports(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    let parameters = call.parameters
    guard let right = call.client.rights.reports else {
      throw GatewayError(message: Message.error(ServiceError.permissionDenied()))
    }
    let forward = parameters.wordIfAny("forward").flatMap(ReportForward.init)
    if let forward, !right.forward.covers(forward) { throw .forwardsLess(right.forward) }
    let apps = parameters["apps"] == nil ? nil : (try? parameters.strings("apps")).map(Set.init)
    let batch = try? parameters.integerIfPresent("batchMilliseconds") ?? Self.batchMilliseconds
    guard let batch, (0...1000).contains(batch) else { throw .invalidParameter("batchMilliseconds") }
    if right.reader == .bridge {
      let held = reports.streams.count { stream in
        stream.flatMap { clients[$0.client] }?.peer.owner == call.client.peer.owner
      }
      guard held < ReportStreams.bridgeStreamsMax else {
        throw refuseAsBusy(limit: ReportStreams.bridgeStreamsMax)
      }
    }
    guard
      let id = reports.insert(
        client: call.client.id, right.reader, forward, apps: apps, patienceMilliseconds: batch,
        &dataPath.pipeline.reports)
    else { throw refuseAsBusy(limit: ReportBatches.streamsMax) }
    enqueue(.openReports(id))
    return .stream(OpeningReports(id: id))
  }

  /// The reply that the socket of a stream goes with.
  var reportsReply: [UInt8] {
    let source = GatewayError.cut(configuration.radioSource)
    let line = WatchReportsReply(
      epoch: epochText, time: Int(radioTime.microseconds),
      adapters: [AdapterLine(index: 0, source: source, address: radioAddress)])
    return Message.reply { line.writeMembers(to: &$0) }
  }

  /// Ends a stream, and has its socket closed.
  func endReports(_ id: ReportStreamID, isCutOff: Bool = false) {
    guard reports[id] != nil else { return }
    turn.outlook.isOld = true
    reports.remove(id, isCutOff: isCutOff, &dataPath.pipeline.reports)
    enqueue(.closeReports(id))
    followReportWants()
  }

  /// Ends the streams of a client that has left.
  func endReports(of client: ClientID) {
    for case let stream? in reports.streams where stream.client == client { endReports(stream.id) }
  }

  // MARK: - Readings of accessories

  /// Begins a stream of every report of an app's accessories. Returns the number of its first one.
  func openReadings(forApp app: String) -> UInt64 {
    defer { followReportWants() }
    return reports.readings.open(forApp: app, &dataPath.pipeline)
  }

  /// Reads an app's next reading; nil when no reader of it is there.
  func readReading(_ sequence: inout UInt64, ofApp app: String) -> Ring<Advertisement>.Reading? {
    reports.readings.read(&sequence, ofApp: app)
  }

  func closeReadings(forApp app: String) {
    reports.readings.close(forApp: app, &dataPath.pipeline)
    followReportWants()
  }

  // MARK: - Which reports

  /// Lets the data path know which reports the streams want, after one came or went, or accessories, items or rights changed.
  func followReportWants() {
    let isWanted = !reports.isEmpty || !reports.readings.isEmpty
    guard isWanted || reports.isFollowed else { return }
    reports.isFollowed = isWanted
    var everything: UInt8 = 0
    var wishes: [(bit: UInt8, hasItems: Bool, apps: Set<String>?)] = []
    for case let stream? in reports.streams where stream.isLive {
      guard let right = clients[stream.client]?.rights.reports else { continue }
      let wanted = stream.forward ?? right.forward
      // A reload may have narrowed the right since the call.
      let forward = right.forward.covers(wanted) ? wanted : right.forward
      let apps = stream.apps.map { right.apps?.intersection($0) ?? $0 } ?? right.apps
      let bit: UInt8 = 1 << UInt8(stream.id.place)
      // What belongs to no app is in no app's share.
      if forward == .everything, apps == nil { everything |= bit }
      wishes.append((bit, forward != .accessories, apps))
    }
    dataPath.pipeline.wantEverything(everything)
    filter.set(.reportStream, everything != 0)
    for (index, item) in dataPath.items.enumerated() {
      let streams: UInt8 = wishes.reduce(0) {
        $1.hasItems && $1.apps.includes(item.app) ? $0 | $1.bit : $0
      }
      dataPath.pipeline.want(streams, ofItem: index)
    }
    for address in setupCore.grants.addresses {
      let grants = setupCore.grants.grants(at: address)
      let apps = grants.filter(\.isAuthorized).map(\.app)
      var streams: UInt16 = wishes.reduce(0) { streams, wish in
        apps.contains(where: wish.apps.includes) ? streams | UInt16(wish.bit) : streams
      }
      if grants.contains(where: { reports.readings.reads($0.app) }) { streams |= ReportBatches.readings }
      dataPath.pipeline.want(streams, ofAccessory: address)
    }
    dataPath.pipeline.followWants()
  }
}

extension ReportStreams.RadioState {
  /// A message of kind 1.
  fileprivate func message(passed: UInt64, missed: UInt64) -> [UInt8] {
    [ReportLayout.head(.radio, records: 0), passed, missed].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
    } + [state.rawValue, isActive ? 1 : 0]
  }
}
