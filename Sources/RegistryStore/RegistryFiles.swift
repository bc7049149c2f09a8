// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxSystem
public import Manifest
import Registry

/// The file system as far as the registry needs it beside SQLite: the real one, or a disk of a test's whose power fails.
public protocol RegistryFiles: Sendable {
  /// Under which name SQLite finds the same file system; nil is the real one.
  var vfs: String? { get }
  /// What is said of the file; nil when there is none.
  func facts(of path: String) throws(SystemError) -> FileFacts?
  /// The first octets, fewer when the file is shorter.
  func head(of path: String, byteCount: Int) throws(SystemError) -> [UInt8]
  /// Makes an empty file for its owner alone; nothing may have the name.
  func create(_ path: String) throws(SystemError)
  func rename(_ path: String, to newPath: String) throws(SystemError)
  /// It is good when there is no such file.
  func remove(_ path: String) throws(SystemError)
  /// Makes the names in the folder of `path` durable.
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
  /// Names that are tried for a file that is moved aside.
  static let keptMax = 1_000

  let file: String

  /// What SQLite puts beside a database while it is open, and leaves there when the power fails.
  static let logs = ["-wal", "-journal"]

  /// Where a new registry is made before it gets its name.
  var draft: String { file + ".new" }

  /// A name for what is moved aside.
  func kept(_ count: Int) -> String { "\(file).kept-\(count)" }
}

/// The first 100 octets of a database file (sqlite.org, "Database File Format", 1.3), as far as they say whose it is.
struct FileHeader {
  static let byteCount = 100
  private static let magic = Array("SQLite format 3\0".utf8)

  let applicationID: UInt32

  /// Throws when the file does not begin as a database does.
  init(_ bytes: [UInt8]) throws(RegistryOpenError) {
    guard bytes.count == Self.byteCount else { throw .damaged(.torn(byteCount: bytes.count)) }
    guard bytes.starts(with: Self.magic) else { throw .damaged(.noDatabase) }
    applicationID = bytes[68..<72].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
