// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Testing

@Suite("The protection of files")
struct FileProtectionTests {
  private static func file(_ mode: UInt32, owner: UInt32 = 0) -> FileFacts {
    FileFacts(mode: mode, owner: owner)
  }

  @Test("A manifest may be read by all and written by its owner")
  func manifest() {
    #expect(FileProtection.ownerWrites.error(for: Self.file(0o100644)) == nil)
    #expect(FileProtection.ownerWrites.error(for: Self.file(0o100664)) == .othersWrite(permissions: 0o664))
    #expect(FileProtection.ownerWrites.error(for: Self.file(0o100602)) == .othersWrite(permissions: 0o602))
  }

  @Test("Keys may be read by their owner only")
  func keys() {
    #expect(FileProtection.ownerReads.error(for: Self.file(0o100600)) == nil)
    #expect(FileProtection.ownerReads.error(for: Self.file(0o100400)) == nil)
    #expect(FileProtection.ownerReads.error(for: Self.file(0o100640)) == .othersRead(permissions: 0o640))
  }

  @Test("Only a regular file is relied on")
  func types() {
    for type: UInt32 in [0o040000, 0o010000, 0o020000, 0o060000, 0o140000] {
      #expect(FileProtection.ownerWrites.error(for: Self.file(type | 0o600)) == .notAFile)
    }
  }

  @Test("An owner who is not expected is refused")
  func owners() {
    let file = Self.file(0o100644, owner: 1000)
    #expect(FileProtection.ownerWrites.error(for: file, owners: [0, 998]) == .foreignOwner(1000))
    #expect(FileProtection.ownerWrites.error(for: file, owners: [0, 1000]) == nil)
  }
}
