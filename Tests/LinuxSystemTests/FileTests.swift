// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing
import ToolSystem

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

  @Test("A file that changed since it was read is not replaced; one that did not keeps its access list")
  func replacedFile() throws {
    defer { FileName.remove(path) }
    let (old, new) = (Array("old".utf8), Array("newer".utf8))
    func holds(_ bytes: [UInt8]) throws -> Bool {
      try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes)
    }
    try FileReplacement.create(old, at: path)
    #expect(throws: SystemError.self) { try FileReplacement.create(new, at: path) }
    // As setfacl(1) lets user 2 read it (linux/posix_acl_xattr.h).
    let attributes = try Self.python(
      """
      import os, struct, sys
      entries = [(1, 6, -1), (2, 4, 2), (4, 4, -1), (0x10, 4, -1), (0x20, 4, -1)]
      bytes = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
      os.setxattr(sys.argv[1], "system.posix_acl_access", bytes)
      os.setxattr(sys.argv[1], "user.note", b"kept")
      """, path)
    #expect(try FileReplacement.write(new, to: path, insteadOf: old))
    #expect(try holds(new))
    let kept = try Self.python(
      """
      import os, sys
      print(sorted(os.listxattr(sys.argv[1])), len(os.getxattr(sys.argv[1], "system.posix_acl_access")))
      """, path)
    #expect(!attributes.isSupported || kept.output == "['system.posix_acl_access', 'user.note'] 44\n")
    for stale in [old, new + [0], []] {
      #expect(try !FileReplacement.write(old, to: path, insteadOf: stale))
      #expect(try holds(new))
    }
    let lock = try LockFile(path: path + ".lock")
    let refusal = #expect(throws: SystemError.self) {
      _ = try FileReplacement.write(old, to: path, insteadOf: new)
    }
    #expect(refusal?.isLocked == true)
    _ = consume lock
    // One that a program left behind, which was killed.
    #expect(try FileReplacement.write(old, to: path, insteadOf: new))
    #expect(FileName.content(of: path + ".lock") == .nothing)
  }

  private static func python(_ script: String, _ path: String) throws -> (isSupported: Bool, output: String) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", script, path]
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus == 0, output)
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
