// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// A service manager's socket that a test owns.
final class ManagerSocket {
  static let deadlineMilliseconds: Int32 = 30_000

  let path: String
  private let descriptor: Int32
  private(set) var messages: [String] = []

  init(path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = UInt16(AF_UNIX)
    let bytes = Array(path.utf8)
    // Holds: the path is shorter than the field, and the address a local variable.
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe withUnsafeMutableBytes(of: &pointer.pointee.sun_path) { unsafe $0.copyBytes(from: bytes) }
      return unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(status == 0)
  }

  deinit { close(descriptor) }

  /// Waits for a message that has this line.
  func expect(_ line: String, _ location: SourceLocation = #_sourceLocation) throws {
    try expect("the line \(line)", location) { $0.split(separator: "\n").contains { $0 == line } }
  }

  /// Waits for a message that is such.
  func expect(
    _ what: String, _ location: SourceLocation = #_sourceLocation, _ isSuch: (String) -> Bool
  ) throws {
    while let message = next() {
      messages.append(message)
      if isSuch(message) { return }
    }
    try #require(Bool(false), "\(what) did not come; there were \(messages)", sourceLocation: location)
  }

  /// Waits until something is so that no message says, taking what is said meanwhile.
  func wait(for what: String, _ location: SourceLocation = #_sourceLocation, _ isSo: () -> Bool) throws {
    let end = ContinuousClock.now + .milliseconds(Int(Self.deadlineMilliseconds))
    while !isSo() {
      try #require(ContinuousClock.now < end, "\(what) did not happen", sourceLocation: location)
      if let message = next(milliseconds: 20) { messages.append(message) }
    }
  }

  /// Lets a second pass, and takes what is said meanwhile.
  func waitASecond() throws {
    let end = ContinuousClock.now + .seconds(1)
    while ContinuousClock.now < end {
      if let message = next(milliseconds: 50) { messages.append(message) }
    }
  }

  private func next(milliseconds: Int32 = deadlineMilliseconds) -> String? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // Holds: one entry, a local variable.
    guard unsafe poll(&entry, 1, milliseconds) == 1 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Holds: the buffer is the array's own, for as long as the call.
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }
}
