// SPDX-License-Identifier: GPL-3.0-or-later

/// The properties of an open file (`fstat`) that its protection depends on.
public struct FileFacts: Equatable, Sendable {
  /// `st_mode`: type and permissions.
  public let mode: UInt32
  /// `st_uid`.
  public let owner: UInt32

  public init(mode: UInt32, owner: UInt32) { (self.mode, self.owner) = (mode, owner) }

  /// Whether the name is a symbolic link (`S_IFLNK`).
  public var isLink: Bool { mode & 0o170000 == 0o120000 }
}

/// Why a file is not protected as it must be.
public enum FileProtectionError: Equatable, Sendable {
  case notAFile
  case foreignOwner(UInt32)
  case othersWrite(permissions: UInt32)
  case othersRead(permissions: UInt32)
}

/// Which access other users must not have to a file or folder that the gateway relies on.
public enum FileProtection: Sendable {
  /// Only the owner may write the file: the manifest.
  case ownerWrites
  /// Only the owner may read the file: keys.
  case ownerReads
  /// Only the owner may write the folder, so that no other user replaces files in it: the agent's state.
  case ownerWritesFolder

  /// Returns why the file is refused; nil when it is accepted. `owners` are the users who may own it; nil accepts any
  /// owner, for checks of files that are not installed yet.
  public func error(for file: FileFacts, owners: Set<UInt32>? = nil) -> FileProtectionError? {
    let permissions = file.mode & 0o7777
    let type = self == .ownerWritesFolder ? Self.folder : Self.regularFile
    guard file.mode & Self.typeMask == type else { return .notAFile }
    if let owners, !owners.contains(file.owner) { return .foreignOwner(file.owner) }
    switch self {
    case .ownerWrites, .ownerWritesFolder:
      return permissions & 0o022 == 0 ? nil : .othersWrite(permissions: permissions)
    case .ownerReads: return permissions & 0o077 == 0 ? nil : .othersRead(permissions: permissions)
    }
  }

  /// `S_IFMT`, `S_IFREG` and `S_IFDIR` of Linux.
  private static let typeMask: UInt32 = 0o170000
  private static let regularFile: UInt32 = 0o100000
  private static let folder: UInt32 = 0o040000
}
