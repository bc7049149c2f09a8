// SPDX-License-Identifier: GPL-3.0-or-later

/// What the agent did and refused, beside what the data path counts. Counters only grow.
public struct AgentCounters: Equatable, Sendable {
  public var turns: UInt64 = 0
  /// Calls that were taken, refused ones included, and those that were answered with an error.
  public var calls: UInt64 = 0
  public var callsRefused: UInt64 = 0
  /// Turns in which a client sent more calls than one turn takes.
  public var rests: UInt64 = 0
  /// Connections that ended because a message was too long or broke off, was no JSON, or was never finished.
  public var closedForFrame: UInt64 = 0
  public var closedForJSON: UInt64 = 0
  public var closedOverdue: UInt64 = 0
  /// Calls of operators' methods by others.
  public var permissionsDenied: UInt64 = 0
  /// Calls that found as many of their kind going on as there may be.
  public var busy: UInt64 = 0
  /// Sighting events given to watchers, and those overwritten before a watcher had read them.
  public var eventsDelivered: UInt64 = 0
  public var eventsMissed: UInt64 = 0
  /// Packets given to captures, and those overwritten before.
  public var packetsCaptured: UInt64 = 0
  public var packetsMissed: UInt64 = 0
  public var reloads: UInt64 = 0
  public var reloadsRefused: UInt64 = 0
  /// What the kernel dropped because it was not read in time.
  public var receiveDrops: UInt64 = 0
  /// How much of what the adapter sends the kernel keeps.
  public var receiveRoomBytes = 0
  /// How long packets waited in the kernel.
  public var queueing = QueueingDelay()
  /// Messages of the management interface that were too short.
  public var managementMessagesCut: UInt64 = 0
  /// Life-cycle events and advertisements that apps were sent, and that were overwritten first.
  public var appEventsDelivered: UInt64 = 0
  public var appEventsMissed: UInt64 = 0
  /// Addresses of accessories without a place among those that the device table keeps.
  public var accessoriesUnmarked: UInt64 = 0

  public init() {}
}
