// SPDX-License-Identifier: GPL-3.0-or-later

/// A way to break the agent on purpose, from outside: each must be caught, or the simulation proves nothing.
public enum Tampering: String, CaseIterable, Sendable {
  /// An event does not reach the auditor.
  case dropsAnEvent
  /// An event reaches the auditor twice.
  case doublesAnEvent
  /// Bytes for the auditor reach somebody without any right.
  case tellsAStranger
  /// The last reply to a call does not come.
  case losesAReply
  /// The agent hears everything 40 dB louder than it was.
  case hearsTooLoud
  /// The agent does not hear every tenth packet.
  case hearsTooLittle
}
