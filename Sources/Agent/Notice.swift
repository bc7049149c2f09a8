// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
import HCI
public import Manifest
public import Setup
public import Varlink

/// Something that happened and is worth a line in the log. The sentences are the shell's.
public enum Notice: Equatable, Sendable {
  /// The radio's state has changed; `detail` is why, for people.
  case radio(RadioState, before: RadioState, detail: String)
  case bringupFailed(RadioFailure, retryMilliseconds: Int64)
  /// Why, and what is tried now.
  case radioRecovery(RecoveryAction, RadioFailure)
  /// Nothing was heard through the radio for so long that everything found was lost.
  case radioGivenUp
  case turnedAway(AdmissionRefusal, user: UInt32)
  /// A client broke the protocol, or did not finish what it began.
  case closed(ClosingReason, user: UInt32)
  case reloaded(ReloadSummary, warnings: Int)
  case reloadRefused(findings: Int)
  case setup(SetupNotice)
}

/// Why the agent ends a connection that its client did not end.
public enum ClosingReason: Equatable, Sendable {
  case frame(FrameError)
  case call(CallError)
  /// A message, or reading the last replies, took longer than 30 s.
  case overdue
  /// A reply of ours was longer than one may be.
  case replyTooLong(byteCount: Int)
}
