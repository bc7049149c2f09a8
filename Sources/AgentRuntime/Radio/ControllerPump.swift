// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import LinuxSystem
public import VirtualRadio

/// A virtual controller at a descriptor: commands go from there to it, and what is due by now goes there.
///
/// It holds at most one packet that the socket had no room for. While nobody is connected, what the controller says is
/// lost.
public struct ControllerPump: ~Copyable {
  /// So much is delivered or taken at once.
  private static let packetCountMax = 128
  private static let readByteCount = 4096

  /// Why nobody is at the other end any more.
  public enum End: Error, Equatable, Sendable {
    case hungUp
    case system(SystemError)
  }

  public private(set) var controller: Controller
  private let origin: Instant
  private var buffer = [UInt8](repeating: 0, count: readByteCount)
  /// What is left of a packet that the socket did not take whole.
  private var held: ArraySlice<UInt8> = []

  /// `now` is the room's beginning.
  public init(_ controller: consuming Controller, at now: Instant) {
    self.controller = controller
    origin = now
  }

  public var isPlugged: Bool { controller.isPlugged }

  /// When there may be something to deliver; ``isHolding`` asks for a descriptor that can be written.
  public var nextTime: Instant? {
    // What happens at a time is out behind it.
    controller.nextTime.map { Instant(microseconds: $0.microseconds + origin.microseconds + 1) }
  }

  public var isHolding: Bool { !held.isEmpty }

  /// Reads what the host sent.
  public mutating func takeCommands(
    from descriptor: borrowing Descriptor, at now: Instant
  ) throws(End) {
    for _ in 0..<Self.packetCountMax {
      guard let count = try Self.attempt({ () throws(SystemError) in try descriptor.read(into: &buffer) })
      else { return }
      guard count > 0 else { throw .hungUp }
      controller.receive(Array(buffer[..<count]), at: roomTime(now))
    }
  }

  /// Sends what is due; answers whether there is no more for now.
  public mutating func deliver(to descriptor: borrowing Descriptor, at now: Instant) throws(End) -> Bool {
    for _ in 0..<Self.packetCountMax {
      if held.isEmpty {
        guard let packet = controller.next(before: roomTime(now)) else { return true }
        held = packet.bytes[...]
      }
      let bytes = held
      guard let count = try Self.attempt({ () throws(SystemError) in try descriptor.write(bytes) })
      else { return false }
      held = held.dropFirst(count)
    }
    return false
  }

  /// Nobody is connected: lets time pass, and what is said be lost.
  public mutating func pass(to now: Instant) {
    held = []
    while controller.next(before: roomTime(now)) != nil {}
  }

  private func roomTime(_ now: Instant) -> Instant {
    Instant(microseconds: max(0, now.microseconds - origin.microseconds))
  }

  private static func attempt(_ call: () throws(SystemError) -> Int?) throws(End) -> Int? {
    do throws(SystemError) { return try call() } catch {
      throw error.isBrokenPipe || error.isReset ? .hungUp : .system(error)
    }
  }
}
