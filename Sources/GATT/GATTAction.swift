// SPDX-License-Identifier: Apache-2.0

/// What a ``GATTClient`` receives.
public enum GATTInput: Equatable, Sendable {
  /// The link is there. Comes once, before everything else.
  case start
  /// Begins an operation when those before it are complete.
  case begin(GATTOperation, GATTClient.OperationID)
  /// Writes a value that the server does not acknowledge. Does not wait for operations.
  case writeCommand(UInt16, [UInt8])
  /// ``GATTClient/nextPacket`` was sent.
  case packetSent
  /// One packet from the link.
  case received([UInt8])
  /// The deadline may have passed.
  case timePassed
  /// The link ended, or is about to be closed by its owner.
  case linkEnded
}

/// What a ``GATTClient`` wants done.
public enum GATTAction: Equatable, Sendable {
  /// The MTU is known. Comes once, before the first completion.
  case ready
  /// An operation is complete. Comes exactly once for each.
  case complete(GATTClient.OperationID, Result<GATTResult, GATTError>)
  /// The server sent the value of an attribute without being asked.
  case receive(UInt16, [UInt8])
  /// Packets without response fit again, after ``GATTClient/canQueueCommand()`` returned false.
  case commandsFit
  /// Attributes in this range were added, removed or changed.
  case servicesChanged(HandleRange)
  /// The link must be closed, or was. Comes once, last.
  case close(GATTError)
}

/// What a peer sent that led to nothing.
public struct GATTCounters: Equatable, Sendable {
  /// Packets that could not be read.
  public var malformedPackets: UInt64 = 0
  /// Responses without a request, confirmations without an indication, commands.
  public var unexpectedPackets: UInt64 = 0
  /// Requests of the peer, which were refused because the client has no attributes.
  public var refusedRequests: UInt64 = 0
  /// The caller's values that were too long, or more than fit.
  public var droppedCommands: UInt64 = 0

  public init() {}
}
