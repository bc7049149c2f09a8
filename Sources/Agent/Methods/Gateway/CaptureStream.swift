// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import DeviceLines
import Varlink

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
    agent.packetTap.detach()
  }
}
