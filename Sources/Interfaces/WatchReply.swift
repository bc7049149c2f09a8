// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A reply of the agent's `Watch`.
public enum WatchReply: Equatable, Sendable {
  /// The first: which run of the agent it is, the event that comes next, and its clock. With `isReset`, the cursor that
  /// was given is not of this run.
  case greeting(epoch: String, sequence: Int64, time: Seconds, isReset: Bool)
  /// A device that an item has found already.
  case present(DeviceLine)
  case event(EventLine)
  /// So many events were overwritten before they could be sent.
  case missed(Int64)
}

extension WatchReply {
  public init(reading reply: JSONObjectReader) throws(JSONMemberError) {
    if let event = try reply.objectIfPresent("event") {
      self = .event(try EventLine(reading: event))
    } else if let device = try reply.objectIfPresent("present") {
      self = .present(try DeviceLine(reading: device))
    } else if let count: Int64 = try reply.integerIfPresent("missed") {
      guard count > 0 else { throw reply.error("missed", .unknownValue) }
      self = .missed(count)
    } else {
      let sequence: Int64 = try reply.integer("sequence")
      guard sequence >= 0 else { throw reply.error("sequence", .unknownValue) }
      self = .greeting(
        epoch: try reply.string("epoch"), sequence: sequence, time: try reply.seconds("time"),
        isReset: try reply.boolIfPresent("isReset") ?? false)
    }
  }
}
