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
    let number = descriptor.number
    _ = try retryOnInterrupt(.epollControl) {
      clinux_epoll_control(number, operation.rawValue, watched, readiness.rawValue, token)
    }
  }

  /// Waits until something is ready; a signal or nothing in `milliseconds` (-1 for ever) ends the wait empty.
  public mutating func wait(milliseconds: Int32 = -1) throws(SystemError) -> [Ready] {
    let number = descriptor.number
    let count = unsafe events.withUnsafeMutableBufferPointer {
      // Holds: the call fills at most as many events as the buffer has.
      unsafe clinux_epoll_wait(number, $0.baseAddress, Int32($0.count), milliseconds)
    }
    guard count >= 0 else {
      let error = SystemError(.epollWait)
      guard error.code == EINTR else { throw error }
      return []
    }
    return events[..<Int(count)].map { Ready(token: $0.token, readiness: Readiness(rawValue: $0.events)) }
  }
}
