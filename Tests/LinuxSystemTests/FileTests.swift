// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing

@Suite("Locks, names and pairs")
struct FileTests {
  private let path = NSTemporaryDirectory() + "accessory-" + UUID().uuidString.prefix(8)

  @Test("A lock has one holder at a time")
  func lock() throws {
    defer { FileName.remove(path) }
    let first = try LockFile(path: path)
    let refusal = #expect(throws: SystemError.self) { _ = try LockFile(path: path) }
    #expect(refusal?.isLocked == true && refusal?.call == .lock)
    _ = consume first
    _ = try LockFile(path: path)
  }

  @Test("A listener takes the place of a socket that was left, and only whole")
  func replacement() throws {
    defer { FileName.remove(path) }
    let interim = path + ".new"
    let old = try UnixListener(path: path, mode: 0o600)
    _ = consume old
    #expect(FileName.content(of: path) == .socket)
    let listener = try UnixListener(replacing: path, interim: interim, mode: 0o666)
    #expect(FileName.content(of: interim) == .nothing)
    _ = try UnixConnection.open(path: path)
    _ = consume listener
  }

  @Test("Connecting with the wrong kind of socket fails with a named error")
  func kinds() throws {
    defer { FileName.remove(path) }
    let listener = try UnixListener(path: path, mode: 0o600, kind: .packets)
    let error = #expect(throws: SystemError.self) { _ = try UnixConnection.open(path: path) }
    #expect(error?.isWrongSocketType == true)
    _ = try UnixConnection.open(path: path, kind: .packets)
    _ = consume listener
  }

  @Test("A pair keeps the borders of packets, and tells when the other end is gone")
  func pair() throws {
    var other: Descriptor?
    let near = try UnixConnection.pair(&other)
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(try other?.write([1, 2]) == 2)
    #expect(try other?.write([3]) == 1)
    #expect(try near.read(into: &buffer) == 2)
    #expect(try near.read(into: &buffer, 4..<16) == 1)
    #expect(buffer[..<5] == [1, 2, 0, 0, 3])
    #expect(try near.read(into: &buffer) == nil)
    other = nil
    #expect(try near.read(into: &buffer) == 0)
  }
}
