// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxSystem
public import Manifest
import Registry

/// The file operations that the registry needs besides SQLite: the real file system's, or a simulated disk's that crashes.
public protocol RegistryFiles: Sendable {
  /// The name of SQLite's VFS for the same file system; nil is the real one.
  var vfs: String? { get }
  /// Returns the properties of the file; nil if it does not exist.
  func facts(of path: String) throws(SystemError) -> FileFacts?
  /// Returns the first bytes; fewer if the file is shorter.
  func head(of path: String, byteCount: Int) throws(SystemError) -> [UInt8]
  /// Creates an empty file that only its owner may use; the name must be free.
  func create(_ path: String) throws(SystemError)
  func rename(_ path: String, to newPath: String) throws(SystemError)
  /// Removes the file; succeeds if it does not exist.
  func remove(_ path: String) throws(SystemError)
  /// Makes the entries of the folder of `path` durable.
  func syncFolder(of path: String) throws(SystemError)
}

/// The real file system.
public struct SystemFiles: RegistryFiles {
  public init() {}

  public var vfs: String? { nil }

  public func facts(of path: String) throws(SystemError) -> FileFacts? {
    try DurableFile.status(of: path).map { FileFacts(mode: $0.mode, owner: $0.owner) }
  }

  public func head(of path: String, byteCount: Int) throws(SystemError) -> [UInt8] {
    try DurableFile.head(of: path, byteCount: byteCount)
  }

  public func create(_ path: String) throws(SystemError) { try DurableFile.create(path) }

  public func rename(_ path: String, to newPath: String) throws(SystemError) {
    try DurableFile.rename(path, to: newPath)
  }

  public func remove(_ path: String) throws(SystemError) { try DurableFile.remove(path) }

  public func syncFolder(of path: String) throws(SystemError) { try DurableFile.syncFolder(of: path) }
}

/// The names of a registry's files, all in one folder.
struct RegistryPaths {
  /// The number of names that are tried for a file that is moved aside.
  static let keptMax = 1_000

  let file: String

  /// The suffixes of SQLite's files beside an open database, which a power cut leaves behind.
  static let logs = ["-wal", "-journal"]

  /// The temporary name of a new registry.
  var draft: String { file + ".new" }

  /// Returns a name for a file that is moved aside.
  func kept(_ count: Int) -> String { "\(file).kept-\(count)" }
}

/// The application id in the first 100 bytes of a database file (sqlite.org, "Database File Format", 1.3).
struct FileHeader {
  static let byteCount = 100
  private static let magic = Array("SQLite format 3\0".utf8)

  let applicationID: UInt32

  /// Throws if the file does not begin with the header of a database.
  init(_ bytes: [UInt8]) throws(RegistryOpenError) {
    guard bytes.count == Self.byteCount else { throw .damaged(.torn(byteCount: bytes.count)) }
    guard bytes.starts(with: Self.magic) else { throw .damaged(.noDatabase) }
    applicationID = bytes[68..<72].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
