// SPDX-License-Identifier: GPL-3.0-or-later

/// The version of the agent and its tool.
public enum AgentVersion {
  public static let text = "0.1.0"
}
