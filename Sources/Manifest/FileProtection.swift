// SPDX-License-Identifier: GPL-3.0-or-later

/// What a file system says about an open file (`fstat`), as far as we look at it.
public struct FileFacts: Equatable, Sendable {
  /// `st_mode`: type and permissions.
  public let mode: UInt32
  /// `st_uid`.
  public let owner: UInt32

  public init(mode: UInt32, owner: UInt32) {
    self.mode = mode
    self.owner = owner
  }
}

/// Who may touch a file that we rely on.
public enum FileProtection: Sendable {
  /// Nobody but the owner writes it: the manifest.
  case ownerWrites
  /// Nobody but the owner reads it: keys.
  case ownerReads

  public enum Problem: Equatable, Sendable {
    case notAFile
    case foreignOwner(UInt32)
    case othersWrite(permissions: UInt32)
    case othersRead(permissions: UInt32)
  }

  /// Why the file is not relied on; nil when it is. `owners` are the users who may own it, nil any: a check looks at
  /// files that are not installed yet.
  public func problem(of file: FileFacts, owners: Set<UInt32>? = nil) -> Problem? {
    let permissions = file.mode & 0o7777
    guard file.mode & Self.typeMask == Self.regularFile else { return .notAFile }
    if let owners, !owners.contains(file.owner) { return .foreignOwner(file.owner) }
    switch self {
    case .ownerWrites: return permissions & 0o022 == 0 ? nil : .othersWrite(permissions: permissions)
    case .ownerReads: return permissions & 0o077 == 0 ? nil : .othersRead(permissions: permissions)
    }
  }

  /// `S_IFMT` and `S_IFREG` of Linux.
  private static let typeMask: UInt32 = 0o170000
  private static let regularFile: UInt32 = 0o100000
}
