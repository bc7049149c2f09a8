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
  /// Returns the path of a folder without symbolic links, and its properties.
  func resolve(folder path: String) throws(SystemError) -> (path: String, facts: FileFacts)
  /// Returns the bytes of the file; the error `isTooLarge` if it has more than `byteCountMax`.
  func contents(of path: String, byteCountMax: Int) throws(SystemError) -> [UInt8]
  /// Whether another process has the file open for writing.
  func isLocked(_ path: String) -> Bool
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

  public func resolve(folder path: String) throws(SystemError) -> (path: String, facts: FileFacts) {
    let resolved = try DurableFile.resolved(folder: path)
    return (resolved.path, FileFacts(mode: resolved.mode, owner: resolved.owner))
  }

  public func contents(of path: String, byteCountMax: Int) throws(SystemError) -> [UInt8] {
    try DurableFile.contents(of: path, byteCountMax: byteCountMax)
  }

  public func isLocked(_ path: String) -> Bool { DurableFile.isLocked(path) }

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
  static let keptMax = 16

  let file: String

  /// The suffixes of SQLite's files beside an open database, which a power cut leaves behind.
  static let logs = ["-wal", "-journal"]

  /// The temporary name of a new registry.
  var draft: String { file + ".new" }

  /// Returns a name for a file that is moved aside.
  func kept(_ count: Int) -> String { "\(file).kept-\(count)" }

  /// Resolves symbolic links in the path of the file's folder, because SQLite follows none, and checks that no other
  /// user can replace files in the folder.
  init(
    resolving path: String, _ files: any RegistryFiles, owners: Set<UInt32>?
  ) throws(RegistryOpenError) {
    let slash = path.lastIndex(of: "/")
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    let folder = DurableFile.folder(of: path)
    let resolved: (path: String, facts: FileFacts)
    do throws(SystemError) {
      resolved = try files.resolve(folder: folder)
    } catch {
      if error.isMissing, (try? files.facts(of: folder))??.isLink == true { throw .folderLinkToNothing }
      throw .failed(RegistryStoreError(error))
    }
    switch FileProtection.ownerWritesFolder.error(for: resolved.facts, owners: owners) {
    case nil: break
    case .notAFile: throw .failed(.noFolder)
    case let problem?: throw .exposedFolder(problem)
    }
    file = folder == "." ? path : resolved.path + (resolved.path == "/" ? "" : "/") + name
  }
}

/// The application id in the first 100 bytes of a database file (sqlite.org, "Database File Format", 1.3).
struct FileHeader {
  static let byteCount = 100
  private static let magic = Array("SQLite format 3\0".utf8)
  /// The offsets of the version that is needed to write, and to read: 1 for a rollback journal, 2 for a log.
  static let versions = 18..<20

  let applicationID: UInt32

  /// Throws if the file does not begin with the header of a database.
  init(_ bytes: [UInt8]) throws(RegistryOpenError) {
    guard bytes.count >= Self.byteCount else { throw .damaged(.torn(byteCount: bytes.count)) }
    guard bytes.starts(with: Self.magic) else { throw .damaged(.noDatabase) }
    applicationID = UInt32(bigEndian: bytes[68..<72])
  }
}
