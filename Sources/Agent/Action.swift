// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI
public import Interfaces
public import Manifest
public import Pairing
public import Registry
public import Setup
public import Varlink
public import Wireless

/// A side effect that the agent asks the shell for.
public enum Action: Sendable {
  /// Send the command to the controller.
  case send(CommandPacket)
  /// Close the client's socket. Everything that could be sent was sent, and the id means nothing any more.
  case close(ClientID)
  /// Read the manifest and the files it names, then call ``AgentCore/manifestWasRead(_:at:)``.
  case readManifest
  /// Send the message to the kernel's management interface.
  case manage(MgmtCommand)
  /// Send the message to the kernel's management interface over the socket for pairings, whose messages go to
  /// ``AgentCore/receive(pairingMessage:at:)``: the events of scans must not delay those of a pairing.
  case managePairing(MgmtCommand)
  /// Connect to bluetoothd over the system bus: what it reports, and replies to calls, go to the agent.
  case openBus
  /// Close the connection to bluetoothd, and forget its calls.
  case closeBus
  /// Call bluetoothd.
  case callBus(BusCall)
  /// Close the radio that is open, if any, and open the one that the manifest names now. `access` is for adapters.
  case openRadio(RadioSelection, access: Gateway.Access)
  /// Close the radio, which is gone for the reason in this sentence, and open it again when it is back.
  case releaseRadio(String)
  /// Close the adapter, perform the recovery action, and open the adapter again.
  case recoverRadio(RecoveryAction)
  /// Let the kernel drop what the program does not pass of the open adapter's packets; without a program, nothing. Call
  /// ``AgentCore/filterWasRefused(_:at:)`` if it does not take the program.
  case setFilter(FilterProgram?)
  /// Look whether bluetoothd runs, then call ``AgentCore/bluetoothdWasSought(isRunning:at:)``; and when the process that
  /// was found ends, ``AgentCore/bluetoothdEnded(at:)``.
  case findBluetoothd
  /// Send the request to the registry's file, then call ``AgentCore/registryAnswered(_:at:)`` with the reply. One request
  /// is under way at a time.
  case registry(RegistryRequest)
  /// Read the devices that BlueZ knows, then call ``AgentCore/knownDevicesWereRead(_:at:)``. One reading is under way at a
  /// time.
  case readKnownDevices
  /// Read the networks that the interface knows, then call ``AgentCore/networksWereRead(_:of:at:)``, or start a scan for
  /// networks, then call ``AgentCore/networkScanWasStarted(_:of:at:)``, with the number of the action.
  case networks(NetworkScanPlan.Action)
  /// Run the manifest's program for the signal.
  case signal(GatewaySignal)
  /// Connect a socket to an accessory, then call ``AgentCore/linkOpened(_:at:)`` or
  /// ``AgentCore/linkFailed(_:_:at:)``.
  case openLink(LinkRequest)
  /// Close the socket of a connection, unless an app has it.
  case closeLink(LinkID)
  /// Make the two sockets of a stream of reports, then call ``AgentCore/reportsOpened(_:at:)`` or
  /// ``AgentCore/reportsFailed(_:_:at:)``.
  case openReports(ReportStreamID)
  /// Close the sockets of a stream of reports, unless a client has its own.
  case closeReports(ReportStreamID)
  /// Write a line to the log.
  case log(Notice)
}

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
