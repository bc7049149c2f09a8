// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import DeviceLines
import Varlink

/// `Capture`: every packet of the radio from now on, in both directions; for some seconds, the radio listens all the time.
enum CaptureMethod: GatewayMethod {
  static let name = GatewayMethodName.capture
  static let lastsUntilClosed = true

  static func start(_ call: MethodCall) throws(GatewayError) -> CallOutcome {
    let agent = call.agent
    guard let seconds = try? call.parameters.integerIfPresent("seconds") ?? 0, (0...60).contains(seconds)
    else {
      throw .invalidParameter("seconds")
    }
    let device = call.parameters["device"] == nil ? nil : try call.parameters.device().bits
    guard let sequence = agent.packetTap.attach() else {
      throw agent.refuseAsBusy(limit: PacketTap.readersMax)
    }
    if seconds > 0 { agent.setCaptureListens(true) }
    let end = seconds > 0 ? agent.now.advanced(milliseconds: Int64(seconds) * 1000) : nil
    return .stream(CaptureStream(sequence: sequence, end: end, device: device))
  }
}

/// The time of the start, then the packets, several a reply.
struct CaptureStream: ReplyStream {
  /// Bytes of packets in one reply; a single packet may be longer.
  private static let bytesPerReply = 4096

  private var isGreeted = false
  private var sequence: UInt64
  /// When it ends, and the radio need not listen any longer; nil for one that its client ends.
  private let end: Instant?

  /// The address of the device whose present addresses the first reply has.
  private let device: UInt64?

  fileprivate init(sequence: UInt64, end: Instant?, device: UInt64?) {
    (self.sequence, self.end, self.device) = (sequence, end, device)
  }

  func deadline(_ agent: AgentCore) -> Instant? { end }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    guard isGreeted else {
      isGreeted = true
      let time = Seconds(microseconds: agent.radioTime.microseconds)
      let addresses = device.map { agent.dataPath.currentAddresses(of: $0).sorted().map(AddressText.text) }
      return .reply(Message.line(CaptureReply(time: time, addresses: addresses)))
    }
    let missed = agent.packetTap.skipMissing(&sequence)
    guard missed == 0 else {
      agent.counters.streams.packetsMissed &+= missed
      return .reply(Message.line(CaptureReply(missed: Int(missed))))
    }
    let packets = nextPackets(agent.packetTap)
    guard !packets.isEmpty else {
      return end.map { $0 <= agent.now } == true ? .end(Message.reply()) : .wait
    }
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

  func release(_ agent: AgentCore) {
    if end != nil { agent.setCaptureListens(false) }
    agent.packetTap.detach()
  }
}
