// SPDX-License-Identifier: GPL-3.0-or-later

public import AgentCore
public import HCI

extension Agent {
  /// What came of the one request to the registry's file that is under way.
  public mutating func registryAnswered(_ reply: RegistryReply, at time: Instant) {
    now = max(now, time)
  }
}
