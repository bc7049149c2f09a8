// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient

extension GatewayFeed {
  /// What the log says about the agent.
  public enum Notice: Equatable, Sendable {
    case agentIsThere
    case agentIsAway(String)
    /// The manifest has no section for this account.
    case notABridge
    case agentIsOlder
    case refused(String)
    /// A new run of the agent has begun; the position in the one before.
    case reset(last: EventCursor?)
    /// As many events were overwritten before they were read.
    case missed(UInt64)

    public var isProblem: Bool { self != .agentIsThere }

    /// `account` is that of the bridge's program; `channel` is what the broker calls a topic.
    public func sentence(account: String, bridge: String, channel: String) -> String {
      switch self {
      case .agentIsThere: "the agent is there"
      case .agentIsAway(let reason): "the gateway is away: \(reason)"
      case .notABridge:
        "waiting: the manifest of accessoryd has no section of this account; write: [bridge.\(bridge)] user = "
          + "\"\(account)\", and reload"
      case .agentIsOlder:
        "waiting: this agent is older than the bridge; upgrade the package accessory-gateway"
      case .refused(let reason): "waiting: the agent refuses the stream of events: \(reason)"
      case .reset(let last?):
        "the agent has begun a new run; what it had not delivered of the one before is lost, and the \(channel) reset says "
          + "so (run \(last.epoch), from event \(last.sequence) on)"
      case .reset(nil):
        "no position in the events is known; the \(channel) reset says that reading begins with this run of the agent"
      case .missed(let count):
        "\(count) events were overwritten before they could be read; the \(channel) missed says so"
      }
    }
  }
}
