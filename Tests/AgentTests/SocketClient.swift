// SPDX-License-Identifier: GPL-3.0-or-later

import CPeer
import Glibc
import LinuxSystem

/// A client at the socket.
final class SocketClient: HarnessClient {
  private final class End {
    let descriptor: Descriptor
    init(_ path: String) throws(SystemError) { descriptor = try UnixConnection.open(path: path) }
  }

  private var end: End?
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)
  /// The descriptors that came beside replies. The test closes them.
  private(set) var passed: [Int32] = []

  init(_ path: String, user: UInt32) throws(SystemError) {
    precondition(peer_act_as(user) == 0, "a client connects as the scenario's user")
    defer { precondition(peer_act_as(0) == 0, "the test is root again") }
    end = try End(path)
    super.init(nil)
  }

  func write() {
    guard let end, !outgoing.isEmpty else { return }
    guard let count = try? end.descriptor.write(outgoing[...]) else { return }
    outgoing.removeFirst(count)
  }

  /// Reads what has arrived; returns whether there was anything.
  func listen() -> Bool {
    guard let end, !isClosed else { return false }
    var hasRead = false
    while true {
      var descriptor: Int32 = -1
      let count = unsafe buffer.withUnsafeMutableBytes {
        // Holds: the call fills at most the buffer.
        unsafe peer_receive(end.descriptor.number, $0.baseAddress, $0.count, &descriptor)
      }
      if descriptor >= 0 { passed.append(descriptor) }
      guard count > 0 else {
        isClosed = count == 0 || errno != EAGAIN
        return hasRead
      }
      hasRead = true
      let bytes = buffer
      _ = receive(bytes.span.extracting(0..<count))
    }
  }

  func close() {
    isClosed = true
    end = nil
  }
}
