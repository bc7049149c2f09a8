// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI

/// The bonds that the kernel is to remove, one after the other.
///
/// Capacity: ``countMax`` devices; a further one is not taken. A removal is repeated every second, at most ``triesMax``
/// times. In both cases the caller has all keys loaded again, which removes the others.
package struct UnpairQueue: Sendable {
  package static let countMax = 64
  static let triesMax = 8
  private static let replyMilliseconds: Int64 = 5000
  private static let retryMilliseconds: Int64 = 1000

  /// How a removal ends.
  enum Outcome: Equatable, Sendable {
    /// The kernel has removed the keys of this device.
    case removed(DeviceAddress)
    /// It had no long term key, or did not remove the keys. An identity key may be left.
    case unclear(DeviceAddress)
  }

  enum State: Equatable, Sendable {
    case resting
    case waiting(until: Instant)
    /// The removal of the first device waits for its reply.
    case pending(until: Instant)
  }

  private(set) var state = State.resting
  private(set) var devices: [DeviceAddress] = []
  private var tries = 0

  var deadline: Instant? {
    switch state {
    case .resting: nil
    case .waiting(let until), .pending(let until): until
    }
  }

  func contains(_ device: DeviceAddress) -> Bool { devices.contains(device) }
  package var count: Int { devices.count }

  /// Returns whether the device was taken.
  mutating func add(_ device: DeviceAddress) -> Bool {
    guard !devices.contains(device) else { return true }
    guard devices.count < Self.countMax else { return false }
    devices.append(device)
    return true
  }

  mutating func removeAll() {
    (devices, tries) = ([], 0)
    state = .resting
  }

  /// Receives the reply to a removal; `device` is the one that it names.
  mutating func receiveReply(_ status: MgmtStatus, of device: DeviceAddress?, at now: Instant) -> Outcome? {
    guard case .pending = state, let first = devices.first, device == nil || device == first else {
      return nil
    }
    switch status {
    case .success: return finish(.removed(first))
    case .notPaired, .notConnected, .disconnected, .notPowered, .invalidIndex, .permissionDenied,
      .invalidParameters, .unknownCommand, .notSupported:
      return finish(.unclear(first))
    default: return repeatLater(at: now)
    }
  }

  mutating func advance(to now: Instant) -> Outcome? {
    switch state {
    case .resting: return nil
    case .waiting(let until):
      if until <= now { state = .resting }
      return nil
    case .pending(let until): return until <= now ? repeatLater(at: now) : nil
    }
  }

  mutating func nextCommand(_ index: UInt16, at now: Instant) -> MgmtCommand? {
    guard state == .resting, let device = devices.first else { return nil }
    state = .pending(until: now.advanced(milliseconds: Self.replyMilliseconds))
    return .unpair(device, index)
  }

  private mutating func repeatLater(at now: Instant) -> Outcome? {
    tries += 1
    guard tries < Self.triesMax else { return devices.first.flatMap { finish(.unclear($0)) } }
    state = .waiting(until: now.advanced(milliseconds: Self.retryMilliseconds))
    return nil
  }

  private mutating func finish(_ outcome: Outcome) -> Outcome? {
    devices.removeFirst()
    tries = 0
    state = .resting
    return outcome
  }
}
