// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient

extension MQTTBridge {
  /// What the log says.
  public enum Notice: Equatable, Sendable {
    case agentIsThere
    case agentIsAway(String)
    /// The manifest has no section for this account.
    case notABridge
    case agentIsOlder
    case refused(String)
    case brokerIsThere
    case brokerIsAway(String)
    /// The stored position is of a run of the agent that has ended.
    case reset(last: EventCursor?)
    /// As many events were overwritten before they were read.
    case missed(UInt64)
    /// The position could not be stored: why.
    case cursorNotStored(String)
    case cursorUnreadable
    case reconfigured
    /// Retained topics of accessories that are gone were emptied.
    case emptied(Int)
  }
}
