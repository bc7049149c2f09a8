// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import Manifest
import Registry
import Setup
import Varlink

/// `RecentHistory`: the reports, then the devices of items, then what was found and lost; as it was when the call came.
struct HistoryStream: ReplyStream {
  private let device: UInt64?
  private let history: RecentHistory
  private var tracks: ArraySlice<RecentHistory.Track>
  private var sequence: UInt64

  init(_ history: RecentHistory, of device: UInt64?) {
    self.device = device
    self.history = history
    tracks = history.tracks { device == nil || $0.bits == device }[...]
    sequence = history.edges.oldest
  }

  /// The first reply.
  var start: HistoryReply {
    HistoryReply(
      end: Seconds(microseconds: history.end.microseconds),
      sampleMilliseconds: Int(RecentHistory.sampleMilliseconds), reports: history.reports)
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    if let track = tracks.popFirst() {
      return .reply(Message.element("track", TrackLine(track, history.samples(of: track))))
    }
    while case .element(_, let edge) = history.edges.read(&sequence) {
      if device == nil || edge.sighting.address.bits == device {
        return .reply(Message.element("edge", EdgeLine(edge)))
      }
    }
    return .end(Message.reply())
  }
}

extension TrackLine {
  /// What has no level, or is not found, has a number that is none.
  fileprivate init(_ track: RecentHistory.Track, _ samples: [RecentHistory.Sample]) {
    self.init(
      app: track.app, item: track.item, address: track.address, levels: samples.map { Int($0.level) },
      silences: samples.map { $0.silence < 0 ? -1 : Int($0.silence) * 100 })
  }
}

extension EdgeLine {
  fileprivate init(_ edge: RecentHistory.Edge) {
    let sighting = edge.sighting
    self.init(
      time: Seconds(microseconds: sighting.time.microseconds), event: sighting.event, app: edge.app,
      item: edge.item, address: sighting.address, filteredRSSI: sighting.filteredRSSI,
      reason: sighting.reason, silence: edge.silenceMilliseconds.map { Seconds(microseconds: $0 * 1000) })
  }
}

/// `Apps`: each app of the manifest, and whether it is there.
struct AppStream: ReplyStream {
  private var index = 0

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    let apps = agent.configuration.manifest.apps
    guard index < apps.count else { return .end(Message.reply()) }
    defer { index += 1 }
    let app = apps[index].name
    var isConnected = false
    agent.setupCore.forEachConnectedApp { if $0 == app { isConnected = true } }
    let seen = isConnected ? agent.radioTime : agent.history.lastSeen[app]
    return .reply(
      Message.element(
        "app",
        AppLine(
          app: app, isConnected: isConnected, lastSeen: seen.map { Seconds(microseconds: $0.microseconds) },
          accessories: agent.setupCore.registry.accessories.count { $0.app == app })))
  }
}
