// SPDX-License-Identifier: GPL-3.0-or-later

public import AgentCore
public import HCI

/// What the shell does for the agent.
public enum Action: Sendable {
  /// Send the command to the controller.
  case send(CommandPacket)
  /// Close the client's socket; what could be sent was. Its id means nothing any more.
  case close(ClientID)
  /// Read the manifest and what it names, then say so with ``Agent/manifestWasRead(_:at:)``.
  case readManifest
  /// Let go of the radio that is held, if any, and open the one that the manifest names now.
  case openRadio(RadioSelection)
  /// Ask this of the registry's file, then say what came of it with ``Agent/registryAnswered(_:at:)``. One request is
  /// under way at a time.
  case registry(RegistryRequest)
  /// Run the gateway's program for signals, if the manifest names one.
  case signalTouch(TouchSignal)
  /// Worth a line in the log.
  case log(Notice)
}
