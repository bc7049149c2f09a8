// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Manifest
import Registry
@testable import RegistryStore
import RegistrySupport
import Testing

@Suite("The registry in a real folder")
struct RealFileTests {
  @Test("Only the owner may use the file and its log")
  func permissions() throws {
    try withFolder { folder in
      let path = folder + "/registry"
      let keeper = RegistryKeeper(path: path, owners: [getuid()])
      #expect(keeper.execute(.open) == .opened(AccessoryRegistry()))
      var registry = AccessoryRegistry()
      let writes = try registry.apply(Rows.addition(1)).writes
      #expect(keeper.execute(.commit(writes)) == .done)
      for name in [path, path + "-wal"] {
        #expect(try DurableFile.status(of: name)?.mode == 0o100600, "\(name)")
      }
      // No other process can read or write it meanwhile.
      #expect(RegistryKeeper(path: path).execute(.open) == .refused(.failed(.locked)))
      #expect(keeper.execute(.close) == .closed)
      #expect(try DurableFile.status(of: path + "-wal") == nil)
      #expect(keeper.execute(.open) == .opened(registry))
      _ = keeper.execute(.close)
      #expect(unsafe chmod(path, 0o644) == 0)
      #expect(keeper.execute(.open) == .refused(.exposed(.othersRead(permissions: 0o644))))
    }
  }

  @Test("Only files are opened")
  func notAFile() throws {
    try withFolder { folder in
      #expect(unsafe mkdir(folder + "/registry", 0o700) == 0)
      #expect(RegistryKeeper(path: folder + "/registry").execute(.open) == .refused(.exposed(.notAFile)))
      #expect(unsafe rmdir(folder + "/registry") == 0)
      #expect(RegistryKeeper(path: folder + "/a/b").execute(.open) == .refused(.failed(.noFolder)))
    }
  }

  @Test("A file of an earlier version is read, and migrated to the current one", arguments: [1, 3, 4, 5])
  func earlier(version: Int) throws {
    try withFolder { folder in
      let path = folder + "/registry"
      let bytes = try Fixtures.bytes("version-\(version).registry")
      #expect(Int(bytes[63]) == version)
      try Fixtures.write(bytes, to: path)
      let keeper = RegistryKeeper(path: path)
      var registry = try Fixtures.registry(version)
      #expect(keeper.execute(.open) == .opened(registry))
      #expect(keeper.execute(.open) == .opened(registry))
      // The new tables, the new columns and the digest can be written.
      var bond = Rows.foreignBond
      bond.foreignKeyByteCount = 16
      let device = try #require(registry.accessories.last { registry.device(of: $0).identity.address != nil })
      var writes = try registry.apply(.addBondRemoval(Rows.address(10))).writes
      writes += try registry.apply(.setBond(device.identifier, .bonded(bond))).writes
      let address = try #require(registry.device(of: device).identity.address)
      writes += try registry.apply(.setRhythms([address: 600_000])).writes
      #expect(keeper.execute(.commit(writes)) == .done)
      #expect(keeper.execute(.open) == .opened(registry))
      _ = keeper.execute(.close)
      #expect(try FileContents(reading: path, byteCountMax: 1 << 20).bytes[63] == 6)
    }
  }

  @Test("What is in the log alone is read, and reading leaves the log as it is")
  func logAlone() throws {
    try withFolder { folder in
      let path = folder + "/registry"
      let keeper = RegistryKeeper(path: path)
      #expect(keeper.execute(.open) == .opened(AccessoryRegistry()))
      _ = keeper.execute(.close)
      let file = try FileContents(reading: path, byteCountMax: 1 << 20).bytes
      var registry = AccessoryRegistry()
      do {
        let database = try Database.open(path, vfs: nil)
        try database.run("PRAGMA journal_mode = WAL")
        let writes = try registry.apply(Rows.addition(1)).writes
        try database.run("BEGIN IMMEDIATE")
        try database.apply(writes)
        try database.run("COMMIT")
      }
      let log = try FileContents(reading: path + "-wal", byteCountMax: 1 << 20).bytes
      #expect(log.count > 4_096)
      #expect(try RegistryImage.read(path, SystemFiles(), .current) == registry)
      #expect(try FileContents(reading: path + "-wal", byteCountMax: 1 << 20).bytes == log)
      #expect(keeper.execute(.open) == .opened(registry))
      _ = keeper.execute(.close)
      #expect(try FileContents(reading: path, byteCountMax: 1 << 20).bytes != file)
    }
  }

  @Test("A folder that others may write, or that belongs to another user, is refused; a reset is too")
  func folders() throws {
    try withFolder { folder in
      let keeper = RegistryKeeper(path: folder + "/registry", owners: [getuid()])
      for mode: mode_t in [0o777, 0o1777, 0o770, 0o702] {
        // Holds: the call only reads the path.
        #expect(unsafe chmod(folder, mode) == 0)
        let refusal = RegistryReply.refused(.exposedFolder(.othersWrite(permissions: UInt32(mode))))
        #expect(keeper.execute(.open) == refusal)
        #expect(keeper.execute(.reset) == refusal)
      }
      #expect(unsafe chmod(folder, 0o755) == 0)
      let otherUser = RegistryKeeper(path: folder + "/registry", owners: [getuid() + 1])
      #expect(otherUser.execute(.open) == .refused(.exposedFolder(.foreignOwner(getuid()))))
      #expect(keeper.execute(.open) == .opened(AccessoryRegistry()))
      _ = keeper.execute(.close)
    }
  }

  @Test("A file that another process has locked is not read, because it may be half written")
  func lockedElsewhere() throws {
    try withFolder { folder in
      let path = folder + "/registry"
      let keeper = RegistryKeeper(path: path)
      #expect(keeper.execute(.open) == .opened(AccessoryRegistry()))
      _ = keeper.execute(.close)
      let program = Process()
      let (input, output) = (Pipe(), Pipe())
      program.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      program.arguments = [
        "-c",
        "import fcntl, sys; f = open(sys.argv[1], 'r+b'); fcntl.lockf(f, fcntl.LOCK_EX, 512, 1 << 30); "
          + "print(flush=True); input()", path,
      ]
      (program.standardInput, program.standardOutput) = (input, output)
      try program.run()
      #expect(output.fileHandleForReading.readData(ofLength: 1).count == 1)
      #expect(keeper.execute(.open) == .refused(.failed(.locked)))
      try input.fileHandleForWriting.write(contentsOf: [10])
      program.waitUntilExit()
      #expect(keeper.execute(.open) == .opened(AccessoryRegistry()))
      _ = keeper.execute(.close)
    }
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/registry-XXXXXX".utf8CString)
    // Holds: the call writes into the array, which it fits.
    let isMade = unsafe mkdtemp(&template) != nil
    try #require(isMade)
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for name in ["registry", "registry-wal", "registry.new"] { FileName.remove(folder + "/" + name) }
      _ = unsafe rmdir(folder)
    }
    try body(folder)
  }
}
