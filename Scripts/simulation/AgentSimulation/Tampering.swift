// SPDX-License-Identifier: GPL-3.0-or-later

/// A way to break the agent on purpose, from outside: the simulation must catch each one, or it proves nothing.
public enum Tampering: String, CaseIterable, Sendable {
  /// An event does not reach the auditor.
  case dropsAnEvent
  /// An event reaches the auditor twice.
  case doublesAnEvent
  /// Bytes for the auditor reach an unauthorized client.
  case sendsToUnauthorizedClient
  /// The last reply to a call is lost.
  case losesAReply
  /// The agent receives all packets with a level 40 dB higher than they had.
  case raisesLevels
  /// The agent does not receive every tenth packet.
  case dropsPackets
  /// An event of a network does not reach the auditor.
  case dropsANetworkEvent
  /// The model does not receive some scans that the agent receives.
  case forgetsScans
  /// The last byte of each batch changes on its way to a reader of reports.
  case damagesRecords
  /// Batches reach readers of reports without their records.
  case dropsRecords
}
