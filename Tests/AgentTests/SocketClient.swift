// SPDX-License-Identifier: GPL-3.0-or-later

import CPeer
import Glibc
import LinuxSystem
import ToolSystem

/// A client at the socket.
final class SocketClient: HarnessClient {
  private final class End {
    let descriptor: Descriptor
    init(_ path: String) throws(SystemError) { descriptor = try UnixConnection.open(path: path) }
  }

  private var end: End?
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)
  /// The descriptors that came beside replies.
  private(set) var passed: [SharedDescriptor] = []

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
      var descriptor: SharedDescriptor?
      let count: Int?
      do throws(SystemError) { count = try end.descriptor.read(into: &buffer, passed: &descriptor) } catch {
        isClosed = true
        return hasRead
      }
      if let descriptor { passed.append(descriptor) }
      guard let count, count > 0 else {
        isClosed = count == 0
        return hasRead
      }
      hasRead = true
      let bytes = buffer
      _ = receive(bytes.span.extracting(0..<count))
    }
  }

  func closePassed() { passed = [] }

  func close() {
    isClosed = true
    end = nil
  }
}
