// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI
public import Manifest
public import Registry
public import Setup

/// What the shell does for the agent.
public enum Action: Sendable {
  /// Send the command to the controller.
  case send(CommandPacket)
  /// Close the client's socket; what could be sent was. Its id means nothing any more.
  case close(ClientID)
  /// Read the manifest and what it names, then say so with ``AgentCore/manifestWasRead(_:at:)``.
  case readManifest
  /// Send the message to the kernel's management interface.
  case manage(MgmtCommand)
  /// Let go of the radio that is held, if any, and open the one that the manifest names now. `access` is for adapters.
  case openRadio(RadioSelection, access: Gateway.Access)
  /// The radio is gone, as this sentence says: let go of it, and open it again when it is back.
  case releaseRadio(String)
  /// Let go of the adapter, do this to it, and open it again.
  case mend(RecoveryAction)
  /// Ask this of the registry's file, then say what came of it with ``AgentCore/registryAnswered(_:at:)``. One request is
  /// under way at a time.
  case registry(RegistryRequest)
  /// Run the gateway's program for signals, if the manifest names one.
  case signalTouch(TouchSignal)
  /// Worth a line in the log.
  case log(Notice)
}
