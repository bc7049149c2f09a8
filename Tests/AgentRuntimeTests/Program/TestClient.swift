// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing

/// A program at the agent's socket that says what it likes.
final class TestClient {
  private static let deadlineMilliseconds: Int32 = 30_000

  let descriptor: Descriptor
  private var received: [UInt8] = []

  init(_ path: String) throws { descriptor = try UnixConnection.open(path: path) }

  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    #expect(try descriptor.write(bytes[...]) == bytes.count)
  }

  /// Sends what the agent takes before it closes the connection, which may be nothing.
  func offer(_ text: String) {
    let bytes = Array(text.utf8)
    _ = try? descriptor.write(bytes[...])
  }

  /// A call without its NUL is `text`.
  func call(_ text: String) throws -> String? {
    try send(text + "\0")
    return try message()
  }

  /// Says that nothing more will come.
  func endOutput() { _ = shutdown(descriptor.number, Int32(SHUT_WR)) }

  /// The next message, without its NUL; nil at the end.
  func message() throws -> String? {
    while true {
      if let end = received.firstIndex(of: 0) {
        defer { received.removeSubrange(...end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      guard try receive() else { return nil }
    }
  }

  /// Waits for bytes; false at the end.
  private func receive() throws -> Bool {
    var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    // Holds: one entry, a local variable.
    try #require(unsafe poll(&entry, 1, Self.deadlineMilliseconds) == 1, "the agent says nothing")
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count: Int?
    do { count = try descriptor.read(into: &buffer) } catch {
      // It was closed before it had read everything.
      return false
    }
    guard let count, count > 0 else { return false }
    received += buffer[..<count]
    return true
  }
}
