// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// Why the registry could not be opened, and what to do. The files on disk are unchanged.
public struct RegistryOpenError: Error, Equatable, Sendable {
  /// What is wrong, without a full stop; follows the name of the file.
  public let reason: String
  public let cure: String
  /// Whether the cause may go away without a reset, so that opening the file again is worth it.
  public let mayPass: Bool
  /// The failure, unless the file itself is wrong.
  public let failure: RegistryStoreError?

  private init(
    _ reason: String, cure: String, mayPass: Bool = true, _ failure: RegistryStoreError? = nil
  ) {
    (self.reason, self.cure, self.mayPass, self.failure) = (reason, cure, mayPass, failure)
  }

  public static func damaged(_ damage: RegistryFileError) -> Self {
    Self(
      "is damaged: \(damage.reason)",
      cure: "run accessoryctl registry reset: it keeps the file under another name and creates a new one",
      mayPass: false)
  }
  public static func otherApplication(applicationID: UInt32) -> Self {
    Self(
      "is another program's database (application id 0x\(String(applicationID, radix: 16)))",
      cure: "move the file away if it is not needed, or let accessoryd keep its registry elsewhere",
      mayPass: false)
  }
  public static func newer(version: Int64, known: Int64) -> Self {
    Self(
      "was written by a later accessoryd (version \(version); this one knows \(known))",
      cure: "install the later accessoryd again, or run accessoryctl registry reset", mayPass: false)
  }
  /// Other users have access to the file, or it is not a regular file.
  public static func exposed(_ error: FileProtectionError) -> Self {
    let reason =
      switch error {
      case .notAFile: "is not a file"
      case .foreignOwner(let owner): "belongs to user \(owner)"
      case .othersRead(let permissions), .othersWrite(let permissions):
        "is open to others (mode \(String(permissions, radix: 8)))"
      }
    return Self(reason, cure: "make it a file of accessoryd's user with mode 600")
  }
  /// Other users may replace files in the file's folder.
  public static func exposedFolder(_ error: FileProtectionError) -> Self {
    let reason =
      switch error {
      case .notAFile: "lies in something that is not a folder"
      case .foreignOwner(let owner): "lies in a folder of user \(owner)"
      case .othersRead(let permissions), .othersWrite(let permissions):
        "lies in a folder that others may write (mode \(String(permissions, radix: 8)))"
      }
    return Self(
      reason, cure: "make it a folder of accessoryd's user with mode 700, or name another with --state")
  }
  /// The file is a symbolic link, which only its folder may be.
  public static let link = Self(
    "is a symbolic link",
    cure: "put the file itself there, or name its folder with --state (a folder may be a link)")
  public static let folderLinkToNothing = Self(
    "lies in a folder that is a symbolic link to nothing",
    cure: "make the folder that the link names, or name another with --state")
  public static func failed(_ failure: RegistryStoreError) -> Self {
    Self("cannot be opened: \(failure.reason)", cure: failure.cure, failure)
  }
}

/// How a registry file is damaged.
public struct RegistryFileError: Equatable, Sendable {
  let reason: String

  private init(_ reason: String) { self.reason = reason }

  /// It is shorter than the header of a database.
  public static func torn(byteCount: Int) -> Self { Self("it ends after \(byteCount) bytes") }
  public static let noDatabase = Self("it does not begin with the header of a database")
  public static let missingBesideLog = Self("it is missing, but the log of its latest changes is there")
  /// SQLite cannot read it.
  public static func unreadable(_ fault: RegistryStoreErrorCode) -> Self { Self(fault.reason) }
  /// SQLite's integrity check failed with this text, which quotes what it found: text of the file.
  public static func inconsistent(_ finding: String) -> Self { Self(finding.quotedForDisplay) }
  public static let digest = Self("its rows are not those that accessoryd wrote")
  public static let foreignTables = Self("its tables are not those of a registry")
  /// A column has an invalid value; `number` is nil if the row has no number.
  public static func badValue(_ table: RegistryTable, number: Int64?, column: String) -> Self {
    let row = number.map { "\(table.rawValue) \($0)" } ?? "a row of \(table.rawValue)"
    return Self("\(row) has an invalid \(column)")
  }
  /// A row is invalid or inconsistent with other rows.
  public static func violation(_ violation: RegistryConsistencyError) -> Self { Self(violation.reason) }
}

/// Why the registry could not be written or read, and what to do; the disk has the state before or after the change.
public struct RegistryStoreError: Error, Equatable, Sendable {
  /// What is wrong, without a full stop.
  public let reason: String
  public let cure: String
  /// Whether nothing was written and a retry may succeed.
  public let leavesOpen: Bool

  private init(_ reason: String, cure: String, leavesOpen: Bool = false) {
    (self.reason, self.cure, self.leavesOpen) = (reason, cure, leavesOpen)
  }
  private static func ofDisk(_ reason: String) -> Self {
    Self(reason, cure: "look at the system's log for errors of the disk")
  }

  /// The disk is full, or the registry has reached its largest size.
  public static let full = Self(
    "no space is left for the registry", cure: "free some space", leavesOpen: true)
  public static let readOnly = Self(
    "the registry's file or file system is read-only", cure: "mount the file system for writing",
    leavesOpen: true)
  public static let locked = Self(
    "another process has the registry open", cure: "end the other process: only one accessoryd may run",
    leavesOpen: true)
  public static let noFolder = Self(
    "there is no such folder", cure: "make the folder, or start accessoryd with another --state")
  public static let noPermission = Self(
    "accessoryd's account may not use the folder",
    cure: "give the folder to accessoryd's account, or name another with --state")
  /// SQLite reports an error of the disk.
  public static func disk(_ fault: RegistryStoreErrorCode) -> Self { ofDisk(fault.sqliteReason) }
  /// A system call outside SQLite failed; `call` is its name.
  public static func system(_ fault: RegistryStoreErrorCode, call: String) -> Self {
    ofDisk("\(call): \(fault.reason)")
  }
  public static func logRemains(_ fault: RegistryStoreErrorCode) -> Self {
    ofDisk("the change is in the log, which could not be written into the file: \(fault.sqliteReason)")
  }
  public static let memory = Self(
    "there is not enough memory", cure: "free some memory", leavesOpen: true)
  /// SQLite reports an error that a correct program does not cause.
  public static func unexpected(_ fault: RegistryStoreErrorCode) -> Self {
    Self(fault.sqliteReason, cure: "please report it")
  }
  /// No registry is open: it was refused, or closed after an earlier error. Opening it again reads what is on disk.
  public static let closed = Self("the registry is not open", cure: "accessoryctl status says why")
  /// Every name for a kept file is taken.
  public static func tooManyKept(_ count: Int) -> Self {
    Self("\(count) registries are kept already", cure: "remove those that are not needed")
  }
}

/// An error code of SQLite or the system, with its text.
public struct RegistryStoreErrorCode: Equatable, Sendable {
  /// SQLite's extended result code, or the system's error number.
  public let code: Int32
  /// The text for the code, without a full stop: `disk I/O error`.
  public let reason: String

  public init(code: Int32, reason: String) { (self.code, self.reason) = (code, reason) }

  fileprivate var sqliteReason: String { "\(reason) (SQLite \(code))" }
}
