// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem

/// A controller at the other end of a socket that carries H4 packets: one packet per message, or a byte stream.
///
/// Capacity: one packet of the longest kind. In a stream, an incomplete packet stays in the buffer until the next read.
final class H4Socket: RadioSource {
  /// Indicator, four bytes of header, and 65,535 of data (Core Specification 5.4, Volume 4, Part E, 5.4.2).
  private static let packetBytesMax = 65_540

  private let link: SharedDescriptor
  private let framing: UnixSocketKind
  private var buffer: [UInt8]
  private var filled = 0

  init(_ socket: SharedDescriptor, _ framing: UnixSocketKind) {
    link = socket
    self.framing = framing
    buffer = [UInt8](repeating: 0, count: Self.packetBytesMax)
  }

  var kind: RadioKind { .controller }
  var hasDescriptor: Bool { true }

  func watch(in epoll: borrowing Epoll, token: UInt64) throws(SystemError) {
    try epoll.add(link.descriptor, .readable, token: token)
  }

  func unwatch(in epoll: borrowing Epoll) throws(SystemError) { try epoll.remove(link.descriptor) }

  func drain(at now: Instant, _ receive: (RawSpan, Instant) -> Void) -> RadioDrain {
    var count = 0
    while count < RadioDrain.packetCountMax {
      do throws(RadioSourceError) {
        guard let packets = try read({ receive($0, now) }) else { return count > 0 ? .some : .nothing }
        count += packets
      } catch {
        return .ended(error)
      }
    }
    return .more
  }

  /// Reads once. Returns how many packets that completed; nil when there was nothing to read.
  private func read(_ receive: (RawSpan) -> Void) throws(RadioSourceError) -> Int? {
    let count: Int
    do throws(SystemError) {
      guard let read = try link.descriptor.read(into: &buffer, filled..<buffer.count) else { return nil }
      count = read
    } catch {
      throw .system(error)
    }
    guard count > 0 else { throw .hungUp }
    switch framing {
    case .packets:
      Self.deliver(buffer, count, to: receive)
      return 1
    case .stream:
      filled += count
      return try deliverPackets(receive)
    }
  }

  private static func deliver(_ buffer: [UInt8], _ count: Int, to receive: (RawSpan) -> Void) {
    receive(buffer.span.rawBytes.extracting(0..<count))
  }

  /// Delivers the complete packets, and moves the remaining bytes to the front.
  private func deliverPackets(_ receive: (RawSpan) -> Void) throws(RadioSourceError) -> Int {
    let (end, count) = try Self.deliver(packetsOf: buffer, filled, to: receive)
    if end > 0 {
      for index in end..<filled { buffer[index - end] = buffer[index] }
      filled -= end
    }
    return count
  }

  /// Returns where the last complete packet ends, and how many there were.
  private static func deliver(
    packetsOf buffer: [UInt8], _ filled: Int, to receive: (RawSpan) -> Void
  ) throws(RadioSourceError) -> (end: Int, count: Int) {
    var (start, count) = (0, 0)
    while start < filled {
      let rest = buffer.span.rawBytes.extracting(start..<filled)
      guard let byteCount = try measure(rest) else { break }
      receive(rest.extracting(0..<byteCount))
      start += byteCount
      count += 1
    }
    return (start, count)
  }

  private static func measure(_ bytes: RawSpan) throws(RadioSourceError) -> Int? {
    do throws(PacketError) {
      guard case .packet(let byteCount) = try StreamFrame(measuring: bytes) else { return nil }
      return byteCount
    } catch {
      var cursor = ByteCursor(bytes)
      throw .notH4(cursor.uint8() ?? 0)
    }
  }

  /// Sends one command, whole: commands go one at a time, so a socket whose buffer is full accepts none of it.
  func send(_ command: CommandPacket, at now: Instant) -> RadioSourceError? {
    do throws(SystemError) {
      return try link.descriptor.send(command.bytes) == command.byteCount ? nil : .rejectsCommands
    } catch {
      return error.isBrokenPipe ? .hungUp : .system(error)
    }
  }
}
