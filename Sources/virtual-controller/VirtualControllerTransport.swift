// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
import VirtualRadio

/// A simulated controller behind a descriptor: reads the host's commands from it, and writes the packets that are due.
///
/// Capacity: one packet that did not fit into the socket's buffer. While no host is connected, the controller's packets
/// are lost.
struct VirtualControllerTransport: ~Copyable {
  /// The most packets written, or reads done, in one call.
  private static let packetCountMax = 128
  private static let readByteCount = 4096

  /// Why the connection to the host has ended.
  enum HostError: Error, Equatable {
    case hungUp
    case system(SystemError)
  }

  private var controller: VirtualController
  private let origin: Instant
  private var buffer = [UInt8](repeating: 0, count: readByteCount)
  /// The rest of a packet that the socket took only in part.
  private var unsent: ArraySlice<UInt8> = []

  /// `now` is the start of the scene.
  init(_ controller: consuming VirtualController, at now: Instant) {
    self.controller = controller
    origin = now
  }

  /// Whether the controller is plugged in; a scene may unplug it for a while.
  var isPlugged: Bool { controller.isPlugged }

  /// When the next packet may be due. While ``hasUnsentBytes``, the descriptor has to become writable first.
  var nextTime: Instant? {
    // The controller has sent all packets of a microsecond only when it is over.
    controller.nextTime.map { Instant(microseconds: $0.microseconds + origin.microseconds + 1) }
  }

  var hasUnsentBytes: Bool { !unsent.isEmpty }

  /// Reads the commands that the host has written.
  mutating func receiveCommands(
    from descriptor: borrowing Descriptor, at now: Instant
  ) throws(HostError) {
    for _ in 0..<Self.packetCountMax {
      guard let count = try Self.attempt({ () throws(SystemError) in try descriptor.read(into: &buffer) })
      else { return }
      guard count > 0 else { throw .hungUp }
      controller.receive(Array(buffer[..<count]), at: sceneTime(now))
    }
  }

  /// Writes the packets that are due. Returns whether none is left for now.
  mutating func sendPackets(to descriptor: borrowing Descriptor, at now: Instant) throws(HostError) -> Bool {
    for _ in 0..<Self.packetCountMax {
      if unsent.isEmpty {
        guard let packet = controller.next(before: sceneTime(now)) else { return true }
        unsent = packet.bytes[...]
      }
      let bytes = unsent
      guard let count = try Self.attempt({ () throws(SystemError) in try descriptor.write(bytes) })
      else { return false }
      unsent = unsent.dropFirst(count)
    }
    return false
  }

  /// Lets time pass while no host is connected: the packets that are due are lost.
  mutating func discardPackets(until now: Instant) {
    unsent = []
    while controller.next(before: sceneTime(now)) != nil {}
  }

  private func sceneTime(_ now: Instant) -> Instant {
    Instant(microseconds: max(0, now.microseconds - origin.microseconds))
  }

  private static func attempt(_ call: () throws(SystemError) -> Int?) throws(HostError) -> Int? {
    do throws(SystemError) { return try call() } catch { throw error.isGone ? .hungUp : .system(error) }
  }
}
