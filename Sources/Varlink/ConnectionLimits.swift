// SPDX-License-Identifier: Apache-2.0

public import JSON

/// What one connection may cost.
public struct ConnectionLimits: Sendable {
  /// Octets of one message to us, without its NUL.
  public var frameBytesMax = 16 << 10
  /// Octets that wait to be sent.
  public var outputBytesMax = 64 << 10
  /// Octets of one of our own messages. A call is taken only while so many are free, and a stream leaves them free.
  public var replyBytesMax = 32 << 10
  /// Calls taken in one turn of the owner's loop; the others wait for the next.
  public var callsPerTurnMax = 16
  public var json = JSONLimits()
  /// What a client is told before its connection ends for a reason that is not its own wish; nil says nothing.
  public var farewell: (@Sendable (ServerConnection.CloseReason) -> [UInt8]?)?

  public init() {}
}
