// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Explanation
import Varlink

/// `Capture`: every packet of the radio from now on, in both directions.
enum CaptureMethod: GatewayMethod {
  static let name = GatewayMethodName.capture
  static let lastsUntilClosed = true

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    guard let sequence = call.agent.taps.packets.attach() else {
      throw call.agent.refuseAsBusy(limit: PacketTap.readersMax)
    }
    return .stream(CaptureStream(sequence: sequence))
  }
}

/// The time of the start, then the packets, several a reply.
struct CaptureStream: ReplyStream {
  /// Bytes of packets in one reply; a single packet may be longer.
  private static let bytesPerReply = 4096

  private var isGreeted = false
  private var sequence: UInt64

  fileprivate init(sequence: UInt64) { self.sequence = sequence }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard isGreeted else {
      isGreeted = true
      let time = Seconds(microseconds: agent.radioTime.microseconds)
      return .reply(Message.line(CaptureReply(time: time)))
    }
    let missed = agent.taps.packets.skipMissing(&sequence)
    guard missed == 0 else {
      agent.counters.streams.packetsMissed &+= missed
      return .reply(Message.line(CaptureReply(missed: Int(missed))))
    }
    let packets = nextPackets(agent.taps.packets)
    guard !packets.isEmpty else { return .wait }
    agent.counters.streams.packetsCaptured &+= UInt64(packets.count)
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

  func release(_ agent: AgentCore) { agent.taps.packets.detach() }
}
