// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A connected socket that carries one ATT packet in each message: L2CAP's fixed channel 4, or a pair in tests. It owns
/// the descriptor, and closes it with its last reference.
final class ATTSocket: Sendable {
  /// The result of receiving.
  enum Received: Equatable, Sendable {
    case packet([UInt8])
    /// Nothing is there now.
    case nothing
    /// The link ended; the system's error number, or 0 when the peripheral closed it.
    case ended(Int32)
  }

  /// The result of sending.
  enum Sent: Equatable, Sendable {
    case sent
    /// The socket takes nothing now.
    case full
    case ended(Int32)
  }

  let descriptor: Int32
  /// The kernel's limit for the channel is 672; a longer message is cut.
  private static let packetBytesMax = 1_024

  init(owning descriptor: Int32) { self.descriptor = descriptor }

  /// The agent keeps a copy of the socket, so closing it alone would not end the link.
  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  func receive() -> Received {
    var buffer = [UInt8](repeating: 0, count: Self.packetBytesMax)
    while true {
      // Holds: the call fills at most the buffer.
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
      }
      if count > 0 { return .packet(Array(buffer.prefix(count))) }
      if count == 0 { return .ended(0) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .nothing
      default: return .ended(errno)
      }
    }
  }

  func send(_ packet: [UInt8]) -> Sent {
    let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
    while true {
      // Holds: the call reads the array, which outlives it.
      let count = unsafe packet.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
      }
      if count >= 0 { return .sent }
      switch errno {
      case EINTR: continue
      case EAGAIN, ENOBUFS: return .full
      default: return .ended(errno)
      }
    }
  }
}
