// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite("Local sockets")
struct UnixSocketTests {
  private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  private let path = NSTemporaryDirectory() + "accessory-\(UUID().uuidString.prefix(8)).sock"

  @Test("A listener knows who connected, by the kernel's word")
  func peer() throws {
    defer { Self.remove(path) }
    let listener = try UnixListener(path: path, mode: 0o666)
    let client = try UnixConnection.open(path: path)
    switch try listener.accept() {
    case .connection(let connection, let peer):
      #expect(peer.process == getpid())
      #expect(peer.uid == getuid())
      #expect(peer.gid == getgid())
      #expect(try client.write(Array("hello".utf8)[...]) == 5)
      var buffer = [UInt8](repeating: 0, count: 16)
      #expect(try connection.read(into: &buffer) == 5)
      #expect(try connection.read(into: &buffer) == nil)
    case .noConnection: Issue.record("no connection was accepted")
    case .exhausted(let error): Issue.record("\(error)")
    }
  }

  @Test("Accepting returns at once if no connection waits")
  func noConnection() throws {
    defer { Self.remove(path) }
    let listener = try UnixListener(path: path, mode: 0o600)
    if case .noConnection = try listener.accept() { return }
    Issue.record("a connection was accepted")
  }

  @Test("The socket file has the mode it was asked for")
  func mode() throws {
    defer { Self.remove(path) }
    let listener = try UnixListener(path: path, mode: 0o666)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o666)
    _ = consume listener
  }

  @Test("A path that is taken, or too long, is an error with the call's name")
  func badPath() throws {
    defer { Self.remove(path) }
    let listener = try UnixListener(path: path, mode: 0o600)
    let taken = #expect(throws: SystemError.self) { _ = try UnixListener(path: path, mode: 0o600) }
    #expect(taken?.call == .bind && taken?.code == EADDRINUSE)
    let long = #expect(throws: SystemError.self) {
      _ = try UnixListener(path: "/tmp/" + String(repeating: "x", count: 200), mode: 0o600)
    }
    #expect(long?.code == ENAMETOOLONG)
    _ = consume listener
  }

  @Test("A reader that is gone makes an error, not a signal")
  func brokenPipe() throws {
    defer { Self.remove(path) }
    let listener = try UnixListener(path: path, mode: 0o600)
    let client = try UnixConnection.open(path: path)
    if case .connection(let connection, _) = try listener.accept() { _ = consume connection }
    let error = #expect(throws: SystemError.self) { _ = try client.write([1]) }
    #expect(error?.isBrokenPipe == true)
  }

  @Test("The service manager gets its lines in one datagram, and none is no error")
  func notification() throws {
    let server = Foundation.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer {
      close(server)
      Self.remove(path)
    }
    try bind(server)
    guard let manager = try ServiceNotification(environment: path) else {
      Issue.record("there is no manager")
      return
    }
    try manager.send("READY=1\nSTATUS=scanning")
    var buffer = [UInt8](repeating: 0, count: 64)
    // Holds: the buffer is the array's own, for as long as the call.
    let count = unsafe recv(server, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    #expect(String(decoding: buffer[..<max(0, count)], as: UTF8.self) == "READY=1\nSTATUS=scanning")
  }

  @Test("Without a service manager there is no notification")
  func noManager() throws {
    if try ServiceNotification(environment: "") != nil { Issue.record("a manager would be notified") }
  }

  private func bind(_ server: Int32) throws {
    var address = sockaddr_un()
    address.sun_family = UInt16(AF_UNIX)
    let bytes = Array(path.utf8)
    // Holds: the path is shorter than the field, and the address a local variable.
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe withUnsafeMutableBytes(of: &pointer.pointee.sun_path) { unsafe $0.copyBytes(from: bytes) }
      return unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.bind(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(status == 0)
  }
}
