// SPDX-License-Identifier: Apache-2.0

/// What a bridge's loop does with the sockets of its calls to the agent.
public enum AgentSocketEffect: Equatable, Sendable {
  /// Open a connection for the call.
  case open(BridgeCallID)
  case send(BridgeCallID, [UInt8])
  case close(BridgeCallID)
  /// Leave the agent's bytes in the socket, or no longer.
  case hold(BridgeCallID, Bool)
}

/// What has happened to one of these sockets.
public enum AgentSocketEvent: Equatable, Sendable {
  case opened(BridgeCallID)
  /// It could not be opened, or has ended: why.
  case ended(BridgeCallID, String)
  case received(BridgeCallID, [UInt8])
}

extension BridgeClient.Input {
  public init(_ event: AgentSocketEvent) {
    self =
      switch event {
      case .opened(let id): .opened(id)
      case .ended(let id, let reason): .ended(id, reason)
      case .received(let id, let bytes): .received(id, bytes)
      }
  }
}
