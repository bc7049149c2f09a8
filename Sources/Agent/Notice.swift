// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces
public import Controller
public import Manifest
public import Pairing
public import Setup
public import Varlink

/// An event for the log. The shell writes the sentence.
public enum Notice: Equatable, Sendable {
  /// The radio's state has changed; `detail` says why, for operators.
  case radio(RadioLine.State, before: RadioLine.State, detail: String)
  case initializationFailed(RadioError, retryMilliseconds: Int64)
  /// A recovery action was started because of a failure.
  case radioRecovery(RecoveryAction, RadioError)
  /// The radio was absent long enough that every device it had found counts as lost.
  case radioGivenUp
  /// Another board profile counts, because the adapter is, or is not, on USB.
  case boardFollowsAdapter(board: String)
  /// bluetoothd switched the adapter off as it ended, and the agent switches it on.
  case switchedOnAfterBluetoothd
  case turnedAway(AdmissionError, user: UInt32)
  /// A client broke the protocol, or did not finish what it began.
  case closed(ClosingReason, user: UInt32)
  /// A reader of reports took nothing for 30 s.
  case reportsCutOff(user: UInt32)
  case reloaded(ReloadSummary, warnings: Int)
  case reloadRefused(findings: Int)
  /// An operator read the registry with the keys of bonds.
  case keysExported(user: UInt32)
  /// An operator handed over the keys of a bond.
  case bondImported(user: UInt32, DeviceAddress)
  /// An operator removed an accessory, by its identifier; or every one, with a new registry.
  case accessoryRemoved(user: UInt32, String)
  case registryReset(user: UInt32)
  case setup(SetupNotice)
  case link(LinkNotice)
  case pairing(PairingNotice)
  case networks(NetworkNotice)
  /// The kernel sent a message of its management interface that cannot be read.
  case mgmtMessageIgnored(MgmtError)
}

/// Why the agent ends a connection that its client did not end.
public enum ClosingReason: Equatable, Sendable {
  case frame(FrameError)
  case call(CallError)
  /// A message, or reading the last replies, took longer than 30 s.
  case overdue
  /// One of the agent's replies was longer than a reply may be.
  case replyTooLong(byteCount: Int)
}

/// An event for the log, about bonds.
public enum PairingNotice: Equatable, Sendable {
  public enum Backend: Equatable, Sendable { case kernel, bluetoothd }

  case backend(Backend)
  case foreignAttemptRefused(DeviceAddress)
  case bondWasLost(DeviceAddress)
  /// The kernel did not take a list of keys.
  case keysWereRejected(MgmtStatus)
  /// The kernel takes no more keys: those of this number of bonds are left out, the first of which is with this device.
  case keysWereLeftOut(count: Int, DeviceAddress)
  /// The kernel did not take a setting that pairings want.
  case settingWasRejected(MgmtOpcode, MgmtStatus)
  /// A message over the bus cannot be read, or another program sent it.
  case busMessageWasIgnored(BusMessageError)
}
