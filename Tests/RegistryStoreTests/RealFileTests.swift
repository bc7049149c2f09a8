// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxSystem
import Manifest
import Registry
import RegistryStore
import RegistrySupport
import Testing

@Suite("The registry in a real folder")
struct RealFileTests {
  @Test("Only the owner may use the file and its log, and files of other users are not opened")
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
      let otherUser = RegistryKeeper(path: path, owners: [getuid() + 1])
      #expect(otherUser.execute(.open) == .refused(.exposed(.foreignOwner(getuid()))))
    }
  }

  @Test("Only files are opened")
  func notAFile() throws {
    try withFolder { folder in
      #expect(RegistryKeeper(path: folder).execute(.open) == .refused(.exposed(.notAFile)))
      #expect(RegistryKeeper(path: folder + "/a/b").execute(.open) == .refused(.failed(.noFolder)))
    }
  }

  @Test("A file of version 1 is read, and migrated if it is older")
  func versionOne() throws {
    try withFolder { folder in
      let path = folder + "/registry"
      let bytes = try Fixtures.bytes("version-1.registry")
      try Fixtures.write(bytes, to: path)
      #expect(RegistryKeeper(path: path).execute(.open) == .opened(try Fixtures.registry()))
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
