// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxSystem
public import Manifest

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
