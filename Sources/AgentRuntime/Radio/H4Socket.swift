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
  private var incoming: H4Input

  init(_ socket: SharedDescriptor, _ framing: UnixSocketKind) {
    link = socket
    self.framing = framing
    incoming = H4Input(framing, capacity: Self.packetBytesMax)
  }

  var kind: RadioKind { .controller }
  var hasDescriptor: Bool { true }

  func watch(in epoll: borrowing Epoll, token: UInt64) throws(SystemError) {
    try epoll.add(link.descriptor, .readable, token: token)
  }

  func unwatch(in epoll: borrowing Epoll) throws(SystemError) { try epoll.remove(link.descriptor) }

  func drain(at now: Instant, _ receive: (RawSpan, Instant) -> Void) -> RadioDrain {
    // Moved out, so that no access to it has to be checked for each packet.
    var incoming = H4Input(framing, capacity: 0)
    swap(&incoming, &self.incoming)
    defer { swap(&incoming, &self.incoming) }
    var count = 0
    while count < RadioDrain.packetCountMax {
      do throws(RadioSourceError) {
        guard let packets = try incoming.read(from: link.descriptor, { receive($0, now) }) else {
          return count > 0 ? .some : .nothing
        }
        count += packets
      } catch {
        return .ended(error)
      }
    }
    return .more
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

/// What has arrived over a socket with H4 packets, and is no whole packet yet.
private struct H4Input {
  private let framing: UnixSocketKind
  private var buffer: [UInt8]
  private var filled = 0

  init(_ framing: UnixSocketKind, capacity: Int) {
    self.framing = framing
    buffer = [UInt8](repeating: 0, count: capacity)
  }

  /// Reads once. Returns how many packets that completed; nil when there was nothing to read.
  mutating func read(
    from link: borrowing Descriptor, _ receive: (RawSpan) -> Void
  ) throws(RadioSourceError) -> Int? {
    let count: Int
    do throws(SystemError) {
      guard let read = try link.read(into: &buffer, filled..<buffer.count) else { return nil }
      count = read
    } catch {
      throw .system(error)
    }
    guard count > 0 else { throw .hungUp }
    switch framing {
    case .packets:
      receive(buffer.span.rawBytes.extracting(0..<count))
      return 1
    case .stream:
      filled += count
      return try deliverPackets(receive)
    }
  }

  /// Delivers the complete packets, and moves the remaining bytes to the front. Returns how many there were.
  private mutating func deliverPackets(_ receive: (RawSpan) -> Void) throws(RadioSourceError) -> Int {
    var (start, count) = (0, 0)
    while start < filled {
      let rest = buffer.span.rawBytes.extracting(start..<filled)
      guard let byteCount = try Self.measure(rest) else { break }
      receive(rest.extracting(0..<byteCount))
      start += byteCount
      count += 1
    }
    if start > 0 {
      for index in start..<filled { buffer[index - start] = buffer[index] }
      filled -= start
    }
    return count
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
}
