// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Interfaces
import Manifest
import Varlink
import Wireless

/// `Capture`: every packet of the radio from now on, in both directions, several a reply; for some seconds, the radio
/// listens all the time.
struct CaptureStream: ReplyStream {
  /// Bytes of packets in one reply; a single packet may be longer.
  private static let bytesPerReply = 4096

  var sequence: UInt64
  /// When it ends, and the radio need not listen any longer; nil for one that its client ends.
  let end: Instant?

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    let missed = agent.packetTap.skipMissing(&sequence)
    guard missed == 0 else {
      agent.feeds.counters.packetsMissed &+= missed
      return .reply(Message.line(CaptureReply(missed: Int(missed))))
    }
    let packets = nextPackets(agent.packetTap)
    guard !packets.isEmpty else { return isOver(at: agent.now) ? .end(Message.reply()) : .wait }
    agent.feeds.counters.packetsCaptured &+= UInt64(packets.count)
    return .reply(Message.line(CaptureReply(packets: packets)))
  }

  private mutating func nextPackets(_ tap: PacketTap) -> [CaptureReply.Packet] {
    var packets: [CaptureReply.Packet] = []
    var byteCount = 0
    while byteCount < Self.bytesPerReply, let packet = tap.packet(sequence) {
      // A reply has to fit into the client's buffer; each packet costs some 70 bytes around it.
      byteCount += packet.bytes.count + 35
      packets.append(
        CaptureReply.Packet(
          time: Seconds(microseconds: packet.time.microseconds),
          direction: packet.isReceived ? .received : .sent, packet: packet.bytes))
      sequence += 1
    }
    return packets
  }

  func release(_ agent: AgentCore) {
    if end != nil { agent.setCaptureListens(false) }
    agent.endCapture()
  }
}

/// `Networks`: the networks in reach, those whose names match an item or all of them, the strongest first. One that leaves
/// the table meanwhile is left out.
struct NetworkStream: ReplyStream {
  var names: ArraySlice<NetworkName>
  let all: Bool

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    while let name = names.popFirst() {
      guard let line = agent.line(ofNetwork: name), all || !line.items.isEmpty else { continue }
      return .reply(Message.element("network", line))
    }
    return .end(Message.reply())
  }
}

/// `WatchReports`: the reports of the radio as they are received, over a socket beside the reply. Waits for that socket.
struct OpeningReports: ReplyStream {
  let id: ReportStreamID

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    switch agent.reports[id]?.state {
    case .opening: return .wait
    case .failed(let reason):
      agent.endReports(id)
      return .end(GatewayError.socketMissing(reason).message)
    case nil: return .end(GatewayError.socketMissing("the stream has ended").message)
    case .ready, .full: return .endPassing(.reports(id), agent.reportsReply)
    }
  }

  func release(_ agent: AgentCore) {
    // The client has left before it had the socket.
    if agent.reports[id]?.state == .opening { agent.endReports(id) }
  }
}

/// `Sightings`: the devices in the table, those that match an item or all of them, row by row, then the full items.
///
/// The stream holds no copy of the table. A row that changes hands while a client reads slowly shows its new device.
struct SightingsStream: DeviceStream {
  private let all: Bool
  private var row = 0
  private var fullItems: [TurnedAwayLine]?

  init(all: Bool) { self.all = all }

  mutating func nextReply(_ dataPath: borrowing ManifestDataPath) -> StreamStep {
    while row < dataPath.pipeline.rowCount {
      defer { row += 1 }
      guard let device = dataPath.pipeline.device(at: row), all || device.matchCount > 0,
        let view = dataPath.device(atRow: row)
      else { continue }
      return .reply(Message.element("device", DeviceLine(view)))
    }
    var left = fullItems ?? dataPath.turnedAwayLines
    guard !left.isEmpty else { return .end(Message.reply()) }
    let next = left.removeFirst()
    fullItems = left
    return .reply(Message.element("turnedAway", next))
  }
}
