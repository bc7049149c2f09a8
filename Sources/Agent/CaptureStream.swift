// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import JSON
import ToolText
import Varlink

/// One recording of the radio: where it stands in the ring of packets.
struct CaptureStream: Sendable {
  /// Octets of packets in one reply; a single packet may be longer.
  static let bytesPerReply = 4096

  var isGreeted = false
  var sequence: UInt64

  init(from sequence: UInt64) { self.sequence = sequence }

  /// Moves to the next packet that is there, and answers how many were not.
  mutating func skip(_ tap: TapRing) -> UInt64 {
    let start = sequence
    sequence = max(sequence, tap.oldest)
    while sequence < tap.produced, tap.isHole(sequence) { sequence += 1 }
    return sequence - start
  }
}

extension AgentCore {
  func step(_ stream: inout CaptureStream) -> Step {
    guard let tap else { return .wait }
    guard stream.isGreeted else {
      stream.isGreeted = true
      let time = Seconds(microseconds: radioTime.microseconds)
      return .say(Message.reply(continues: true) { $0.member("time", time) })
    }
    let missed = stream.skip(tap)
    guard missed == 0 else {
      tally.packetsMissed &+= missed
      return .say(Message.reply(continues: true) { $0.member("missed", missed) })
    }
    guard stream.sequence < tap.produced else { return .wait }
    let packets = Self.batch(tap, &stream)
    tally.packetsCaptured &+= UInt64(packets.count)
    return .say(
      Message.reply(continues: true) { json in
        json.objects("packets", packets) { json, packet in
          json.member("time", Seconds(microseconds: packet.entry.time.microseconds))
          json.member("direction", packet.entry.isReceived ? "received" : "sent")
          json.member("packet", Hex(packet.bytes))
        }
      })
  }

  private static func batch(
    _ tap: TapRing, _ stream: inout CaptureStream
  ) -> [(entry: TapRing.Entry, bytes: [UInt8])] {
    var packets: [(entry: TapRing.Entry, bytes: [UInt8])] = []
    var byteCount = 0
    while stream.sequence < tap.produced, byteCount < CaptureStream.bytesPerReply {
      guard let packet = tap.packet(stream.sequence) else { break }
      // What is said in one reply has its place in the client's buffer; each packet costs some 70 octets around it.
      byteCount += packet.bytes.count + 35
      packets.append(packet)
      stream.sequence += 1
    }
    return packets
  }
}
