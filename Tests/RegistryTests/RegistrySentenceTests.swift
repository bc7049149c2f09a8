// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Registry
import Testing

@Suite("Sentences about a registry that cannot be used")
struct RegistrySentenceTests {
  @Test(
    "A sentence says what is wrong and what to do",
    arguments: [
      (
        RegistryOpenError.newer(version: 2, known: 1),
        "was written by a later accessoryd (version 2; this one knows 1)"
      ),
      (.otherApplication(applicationID: 0xF), "is another program's database (application id 0xf)"),
      (.damaged(.torn(byteCount: 9)), "is damaged: it ends after 9 bytes"),
      (.damaged(.unreadable(RegistryStoreErrorCode(code: 11, reason: "malformed"))), "is damaged: malformed"),
      (.damaged(.inconsistent("a\u{1B}b")), #"is damaged: "a\u{1B}b""#),
      (
        .damaged(.violation(.missingDevice(accessory: 3))), "is damaged: the device of accessory 3 is missing"
      ),
      (.damaged(.badValue(.device, number: 2, column: "bond")), "is damaged: device 2 has an invalid bond"),
      (.damaged(.digest), "is damaged: its rows are not those that accessoryd wrote"),
      (.exposed(.othersRead(permissions: 0o644)), "is open to others (mode 644)"),
      (.exposedFolder(.othersWrite(permissions: 0o777)), "lies in a folder that others may write (mode 777)"),
      (.exposedFolder(.foreignOwner(7)), "lies in a folder of user 7"),
      (.link, "is a symbolic link"),
      (.folderLinkToNothing, "lies in a folder that is a symbolic link to nothing"),
      (.failed(.readOnly), "cannot be opened: the registry's file or file system is read-only"),
      (
        .failed(.system(RegistryStoreErrorCode(code: 2, reason: "No such file or directory"), call: "open")),
        "cannot be opened: open: No such file or directory"
      ),
      (
        .failed(.disk(RegistryStoreErrorCode(code: 1034, reason: "disk I/O error"))),
        "cannot be opened: disk I/O error (SQLite 1034)"
      ),
      (.failed(.tooManyKept(1_000)), "cannot be opened: 1000 registries are kept already"),
    ])
  func sentences(refusal: RegistryOpenError, reason: String) {
    #expect(refusal.reason == reason)
    #expect(!refusal.cure.isEmpty && !refusal.cure.hasSuffix("."))
  }
}
