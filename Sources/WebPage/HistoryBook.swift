// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import Interfaces
import JSON
import VarlinkClient

/// What the agent remembers of the last ten minutes, as it said last: reports, how devices were heard, and what was found and
/// lost.
///
/// Capacity: what the agent has. Browsers get the last ``edgesMax`` of what was found and lost, and how accessories were heard.
struct HistoryBook {
  static let edgesMax = 60
  /// A device that was silent for longer at a sample leaves a gap in its plot.
  private static let gapMilliseconds = 10_000
  private static let sampleMilliseconds = 5000

  private(set) var start = HistoryReply()
  private(set) var tracks: [TrackLine] = []
  private(set) var edges: [EdgeLine] = []

  init() {}

  init(_ replies: [ReceivedReply]) {
    for line in replies.compactMap({ $0.line(HistoryReply.self) }) {
      if line.end != nil { start = line }
      if let track = line.track { tracks.append(track) }
      if let edge = line.edge { edges.append(edge) }
    }
  }

  /// The members of a reply about one device.
  func writeMembers(to json: inout JSONWriter) {
    json.member("end", start.end)
    json.member("sampleMilliseconds", start.sampleMilliseconds)
    json.objects("tracks", tracks)
    json.objects("edges", edges)
  }

  /// The reports, and how the accessories of these addresses were heard.
  func message(of addresses: Set<UInt64>) -> [UInt8] {
    let tracks = tracks.filter { addresses.contains($0.address.bits) }
    return StreamMessage.event("history") { json in
      json.member("end", start.end)
      json.member("sampleMilliseconds", start.sampleMilliseconds)
      json.member("reports", start.reports ?? [])
      json.objects("tracks", tracks) { json, track in
        json.member("app", track.app)
        json.members(track.address)
        // 0 stands for a silence.
        json.member(
          "levels",
          zip(track.levels, track.silences).map { level, silence in
            level == 127 || !(0..<Self.gapMilliseconds).contains(silence) ? 0 : level
          })
        json.member("silenceMilliseconds", silenceMilliseconds(of: track))
      }
    }
  }

  /// For how long the device had been silent at the last sample; nil when it was not found in the ten minutes.
  private func silenceMilliseconds(of track: TrackLine) -> Int? {
    guard let last = track.silences.lastIndex(where: { $0 >= 0 }) else { return nil }
    return Int(track.silences[last])
      + (track.silences.count - 1 - last) * Int(start.sampleMilliseconds ?? Self.sampleMilliseconds)
  }

  /// What was found and lost, for a page that was not open then.
  var edgesMessage: [UInt8] {
    StreamMessage.event("edges") { $0.objects("edges", Array(edges.suffix(Self.edgesMax))) }
  }
}
