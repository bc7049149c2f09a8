// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A reply of `Capture` of `io.accessoryd.Gateway`.
public enum CaptureReply: Equatable, ReadableLine {
  /// The first: the agent's clock.
  case greeting(time: Seconds)
  case packets([Packet])
  /// How many packets were dropped because they were not read fast enough.
  case missed(Int64)

  public func writeMembers(to json: inout JSONWriter) {
    switch self {
    case .greeting(let time): json.member("time", time)
    case .packets(let packets): json.objects("packets", packets)
    case .missed(let count): json.member("missed", count)
    }
  }

  public init(reading reply: JSONObjectReader) throws(JSONMemberError) {
    if let packets: [Packet] = try reply.linesIfPresent("packets") {
      self = .packets(packets)
    } else if let count: Int64 = try reply.integerIfPresent("missed") {
      guard count > 0 else { throw reply.error("missed", .unknownValue) }
      self = .missed(count)
    } else {
      self = .greeting(time: try reply.seconds("time"))
    }
  }
}
