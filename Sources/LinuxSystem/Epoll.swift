// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// The conditions that a descriptor is watched for, or is in.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let readable = Readiness(rawValue: clinux_epoll_in)
  public static let writable = Readiness(rawValue: clinux_epoll_out)
  /// The other end is closed, or the descriptor has failed. Always watched for.
  public static let hungUp = Readiness(rawValue: clinux_epoll_hang_up)
}

/// One descriptor's readiness, with the token it was added under.
public struct Ready: Sendable {
  public let token: UInt64
  public let readiness: Readiness
}

/// The kernel's list of watched descriptors.
///
/// A wait delivers at most 64 events; the others are delivered by the next one. An event may be of a descriptor that
/// was closed after the wait, so tokens carry a generation (``EpollRegistry``).
public struct Epoll: ~Copyable {
  private let descriptor: Descriptor
  private var events: [clinux_event]

  public init() throws(SystemError) {
    descriptor = Descriptor(owning: try retryOnInterrupt(.epollCreate) { clinux_epoll_create() })
    events = [clinux_event](repeating: clinux_event(), count: Int(CLINUX_EVENTS_MAX))
  }

  /// Becomes readable when a wait would return an event.
  public var number: Int32 { descriptor.number }

  public func add(_ watched: borrowing Descriptor, _ readiness: Readiness, token: UInt64) throws(SystemError)
  {
    try control(.add, watched.number, readiness, token)
  }

  public func change(_ watched: borrowing Descriptor, _ readiness: Readiness, token: UInt64)
    throws(SystemError)
  {
    try control(.change, watched.number, readiness, token)
  }

  public func remove(_ watched: borrowing Descriptor) throws(SystemError) {
    try control(.remove, watched.number, [], 0)
  }

  /// EPOLL_CTL_ADD, EPOLL_CTL_MOD and EPOLL_CTL_DEL.
  private enum Operation: Int32 {
    case add = 1
    case remove = 2
    case change = 3
  }

  private func control(
    _ operation: Operation, _ watched: Int32, _ readiness: Readiness, _ token: UInt64
  ) throws(SystemError) {
    try descriptor.call(.epollControl) {
      clinux_epoll_control($0, operation.rawValue, watched, readiness.rawValue, token)
    }
  }

  /// Waits until something is ready; a signal or nothing in `milliseconds` (-1 for ever) ends the wait empty. Returns
  /// how many descriptors are ready, which ``ready(_:)`` then names.
  public mutating func wait(milliseconds: Int32 = -1) throws(SystemError) -> Int {
    let number = descriptor.number
    let count = unsafe events.withUnsafeMutableBufferPointer {
      // Holds: the call fills at most as many events as the buffer has.
      unsafe clinux_epoll_wait(number, $0.baseAddress, Int32($0.count), milliseconds)
    }
    guard count >= 0 else {
      let error = SystemError(.epollWait)
      guard error.code == EINTR else { throw error }
      return 0
    }
    return Int(count)
  }

  /// One of the descriptors that the last wait has found ready.
  public func ready(_ index: Int) -> Ready {
    Ready(token: events[index].token, readiness: Readiness(rawValue: events[index].events))
  }
}

/// The owner of each epoll token.
///
/// A token is a slot and the slot's generation. When a descriptor is closed, its slot gets a new generation, so that an
/// event that was already under way is recognised as stale, even if the descriptor's number is in use again.
///
/// Capacity: as many slots as it was created with or has grown to; `insert` returns nil when all are in use.
public struct EpollRegistry<Owner: Sendable>: Sendable {
  @usableFromInline
  struct Slot: Sendable {
    @usableFromInline var generation: UInt32 = 0
    @usableFromInline var owner: Owner?
  }

  @usableFromInline var slots: [Slot]
  private var free: [Int]
  /// Events that arrived for a slot after its owner was removed.
  @usableFromInline var staleEvents: UInt64 = 0
  public var staleCount: UInt64 { staleEvents }

  public init(capacity: Int) {
    slots = Array(repeating: Slot(), count: capacity)
    free = (0..<capacity).reversed()
  }

  /// Grows to `capacity` slots; it never shrinks.
  public mutating func grow(to capacity: Int) {
    free += (slots.count..<max(slots.count, capacity)).reversed()
    while slots.count < capacity { slots.append(Slot()) }
  }

  public var count: Int { slots.count - free.count }

  /// Returns the token of a new owner; nil when every slot is in use.
  public mutating func insert(_ owner: Owner) -> UInt64? {
    guard let slot = free.popLast() else { return nil }
    slots[slot].owner = owner
    return Self.token(slot, slots[slot].generation)
  }

  /// Returns the owner of a token; nil, which is counted, if it was removed.
  @inlinable
  public mutating func owner(of token: UInt64) -> Owner? {
    let slot = Int(token & 0xFFFF_FFFF)
    guard slot < slots.count, slots[slot].generation == UInt32(token >> 32),
      let owner = slots[slot].owner
    else {
      staleEvents &+= 1
      return nil
    }
    return owner
  }

  /// Removes the owner of a token; later events for it are stale.
  public mutating func remove(_ token: UInt64) {
    let slot = Int(token & 0xFFFF_FFFF)
    precondition(
      slot < slots.count && slots[slot].generation == UInt32(token >> 32), "a token ended twice")
    slots[slot].owner = nil
    slots[slot].generation &+= 1
    free.append(slot)
  }

  private static func token(_ slot: Int, _ generation: UInt32) -> UInt64 {
    UInt64(generation) << 32 | UInt64(slot)
  }
}

/// Waits for a few descriptors at once, for programs that have no loop.
public enum Polling {
  /// A descriptor and the readiness it is watched for; a closed other end is always reported.
  public struct Entry: Sendable {
    public let number: Int32
    public let wanted: Readiness

    public init(_ number: Int32, _ wanted: Readiness) { (self.number, self.wanted) = (number, wanted) }
  }

  /// Returns the readiness of each entry; empty for all of them once `deadline` has passed.
  public static func wait(
    _ entries: [Entry], until deadline: MonotonicInstant?
  ) throws(SystemError) -> [Readiness] {
    var watched = entries.map { entry in
      // The bits of poll(2) and epoll(7) are the same.
      pollfd(fd: entry.number, events: Int16(truncatingIfNeeded: entry.wanted.rawValue), revents: 0)
    }
    while true {
      let milliseconds = try deadline.map { deadline throws(SystemError) in try Self.milliseconds(deadline) }
      // Holds: the array's own entries, for as long as the call. A signal ends the wait early, and the loop continues
      // it.
      let count = unsafe poll(&watched, nfds_t(watched.count), milliseconds ?? -1)
      guard count >= 0 || errno == EINTR else { throw SystemError(.poll) }
      if count > 0 || (count == 0 && milliseconds == 0) { return watched.map(\.readiness) }
    }
  }

  /// Until then, rounded up, so that it has passed when the call returns.
  private static func milliseconds(_ deadline: MonotonicInstant) throws(SystemError) -> Int32 {
    let left = deadline.nanoseconds - (try MonotonicInstant.now()).nanoseconds
    return left <= 0 ? 0 : Int32(clamping: (left - 1) / 1_000_000 + 1)
  }
}

extension pollfd {
  fileprivate var readiness: Readiness {
    var readiness = Readiness(rawValue: UInt32(UInt16(bitPattern: revents)))
    if Int32(revents) & (POLLERR | POLLNVAL | POLLHUP) != 0 { readiness.insert(.hungUp) }
    return readiness
  }
}
