// SPDX-License-Identifier: GPL-3.0-or-later

public import BrokerFeed

extension MQTTBridge {
  /// What the log says.
  public enum Notice: Equatable, Sendable {
    case gateway(GatewayFeed.Notice)
    case brokerIsThere
    case brokerIsAway(String)
    /// The position could not be stored: why.
    case cursorNotStored(String)
    case cursorUnreadable
    case reconfigured
    /// Retained topics of accessories that are gone were emptied.
    case emptied(Int)
  }
}
