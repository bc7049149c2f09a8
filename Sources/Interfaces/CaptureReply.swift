// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A reply of the agent's `Capture`.
public enum CaptureReply: Equatable, Sendable {
  /// A packet as the controller or the agent sent it, its H4 indicator first.
  public struct Packet: Equatable, Sendable {
    public let time: Seconds
    public let isReceived: Bool
    public let bytes: [UInt8]
  }

  /// The first: the agent's clock.
  case greeting(time: Seconds)
  case packets([Packet])
  /// So many packets were dropped because they were not read fast enough.
  case missed(Int64)
}

extension CaptureReply {
  public init(reading reply: JSONObjectReader) throws(JSONMemberError) {
    if let packets = try reply.objectsIfPresent("packets") {
      var all: [Packet] = []
      for packet in packets { all.append(try Packet(reading: packet)) }
      self = .packets(all)
    } else if let count: Int64 = try reply.integerIfPresent("missed") {
      guard count > 0 else { throw reply.error("missed", .unknownValue) }
      self = .missed(count)
    } else {
      self = .greeting(time: try reply.seconds("time"))
    }
  }
}

extension CaptureReply.Packet {
  fileprivate init(reading packet: JSONObjectReader) throws(JSONMemberError) {
    time = try packet.seconds("time")
    isReceived = try packet.value("direction", of: [true, false]) { $0 ? "received" : "sent" }
    bytes = try packet.bytes("packet")
    if bytes.isEmpty { throw packet.error("packet", .unknownValue) }
  }
}
