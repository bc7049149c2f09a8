// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Registry
@testable import RegistryStore
import Testing

@Suite("Errors of the disk, as sentences")
struct StoreErrorTests {
  @Test("Codes of SQLite and the system have a text")
  func texts() {
    #expect(RegistryStoreError(DatabaseError(code: 1034)).reason == "disk I/O error (SQLite 1034)")
    #expect(RegistryStoreError(SystemError(.fsync, code: 5)).reason == "fsync: Input/output error")
    let refusal = RegistryOpenError(DatabaseError(code: 11))
    #expect(refusal.reason == "is damaged: database disk image is malformed")
  }
}
