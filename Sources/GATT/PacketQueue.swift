// SPDX-License-Identifier: Apache-2.0

/// Packets that wait for the socket, in order.
///
/// Capacity: ``GATTClient/commandsMax`` packets without response; the caller asks before it adds another one. Requests,
/// replies and confirmations always fit: there is one request at a time, and at most ``repliesMax`` of the others, so
/// that a peer which sends requests and reads nothing costs no memory; further ones are dropped.
struct PacketQueue: Sendable {
  static let repliesMax = 16

  private var packets: [(bytes: [UInt8], kind: Kind)] = []
  private var commandCount = 0
  private var replyCount = 0
  private var wasFull = false

  private enum Kind { case command, request, reply }

  var first: [UInt8]? { packets.first?.bytes }

  /// Whether a packet without response fits. Notes that one did not.
  mutating func canAppendCommand() -> Bool {
    let fits = commandCount < GATTClient.commandsMax
    if !fits { wasFull = true }
    return fits
  }

  mutating func append(_ packet: ATTPacket) {
    let kind: Kind =
      switch packet {
      case .writeCommand: .command
      case let packet where packet.opcode.response != nil: .request
      default: .reply
      }
    if kind == .command { commandCount += 1 }
    if kind == .reply {
      guard replyCount < Self.repliesMax else { return }
      replyCount += 1
    }
    packets.append((packet.bytes, kind))
  }

  /// Removes the first packet. Returns true when packets without response fit again that did not before: half of the
  /// space is free then.
  mutating func removeFirst() -> Bool {
    guard !packets.isEmpty else { return false }
    switch packets.removeFirst().kind {
    case .command: commandCount -= 1
    case .reply: replyCount -= 1
    case .request: break
    }
    guard wasFull, commandCount <= GATTClient.commandsMax / 2 else { return false }
    wasFull = false
    return true
  }
}
