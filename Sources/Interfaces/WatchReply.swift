// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A reply of `Watch` of `io.accessoryd.Gateway`.
public enum WatchReply: Equatable, ReadableLine {
  /// The first: which run of the agent it is, the event that comes next, and its clock. With `isReset`, the cursor that
  /// was given is not of this run.
  case greeting(epoch: String, sequence: Int64, time: Seconds, isReset: Bool)
  /// A device that an item has found already.
  case present(DeviceLine)
  case event(EventLine)
  /// A network that an item has found already.
  case presentNetwork(NetworkLine)
  case network(NetworkEventLine)
  /// A connection of an app that was made or has ended.
  case connection(ConnectionLine)
  /// A change of the radio's state.
  case radioChanged(RadioChangeLine)
  /// How many events were overwritten before they could be sent.
  case missed(Int64)
  /// How many connections and changes of the radio were overwritten, likewise.
  case missedConnections(Int64)
  /// How many events of networks were overwritten, likewise.
  case missedNetworks(Int64)

  public func writeMembers(to json: inout JSONWriter) {
    switch self {
    case .greeting(let epoch, let sequence, let time, let isReset):
      json.member("epoch", epoch)
      json.member("sequence", sequence)
      json.member("time", time)
      if isReset { json.member("isReset", true) }
    case .present(let device): json.object("present", device)
    case .event(let event): json.object("event", event)
    case .presentNetwork(let network): json.object("presentNetwork", network)
    case .network(let event): json.object("network", event)
    case .connection(let connection): json.object("connection", connection)
    case .radioChanged(let change): json.object("radioChanged", change)
    case .missed(let count): json.member("missed", count)
    case .missedConnections(let count): json.member("missedConnections", count)
    case .missedNetworks(let count): json.member("missedNetworks", count)
    }
  }

  public init(reading reply: JSONObjectReader) throws(JSONMemberError) {
    if let event: EventLine = try reply.lineIfPresent("event") {
      self = .event(event)
    } else if let device: DeviceLine = try reply.lineIfPresent("present") {
      self = .present(device)
    } else if let network: NetworkLine = try reply.lineIfPresent("presentNetwork") {
      self = .presentNetwork(network)
    } else if let event: NetworkEventLine = try reply.lineIfPresent("network") {
      self = .network(event)
    } else if let connection: ConnectionLine = try reply.lineIfPresent("connection") {
      self = .connection(connection)
    } else if let change: RadioChangeLine = try reply.lineIfPresent("radioChanged") {
      self = .radioChanged(change)
    } else if let count: Int64 = try reply.integerIfPresent("missed") {
      guard count > 0 else { throw reply.error("missed", .unknownValue) }
      self = .missed(count)
    } else if let count: Int64 = try reply.integerIfPresent("missedConnections") {
      guard count > 0 else { throw reply.error("missedConnections", .unknownValue) }
      self = .missedConnections(count)
    } else if let count: Int64 = try reply.integerIfPresent("missedNetworks") {
      guard count > 0 else { throw reply.error("missedNetworks", .unknownValue) }
      self = .missedNetworks(count)
    } else {
      let sequence: Int64 = try reply.integer("sequence")
      guard sequence >= 0 else { throw reply.error("sequence", .unknownValue) }
      self = .greeting(
        epoch: try reply.string("epoch"), sequence: sequence, time: try reply.seconds("time"),
        isReset: try reply.boolIfPresent("isReset") ?? false)
    }
  }
}
