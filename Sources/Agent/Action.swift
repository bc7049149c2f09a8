// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI
public import Manifest
public import Pairing
public import Registry
public import Setup
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
