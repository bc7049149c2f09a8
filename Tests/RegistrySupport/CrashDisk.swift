// SPDX-License-Identifier: GPL-3.0-or-later

public import CCrashDisk
import Glibc
public import LinuxSystem
public import Manifest
public import RegistryStore
import Synchronization

/// A disk in memory that loses power and fails as a test asks, used as the registry's file system.
@safe public final class CrashDisk: RegistryFiles, @unchecked Sendable {
  public typealias Loss = power_loss
  public typealias Fault = power_fault

  public static let path = "registry"
  private static let names = Atomic<Int>(0)

  private let disk: OpaquePointer
  private let name: String

  public init() {
    name = Self.freshName()
    unsafe disk = Self.required(crash_disk_make(name))
  }

  private init(copying other: CrashDisk) {
    name = Self.freshName()
    unsafe disk = Self.required(crash_disk_copy(other.disk, name))
  }

  // Holds, here and below: the disk exists as long as its owner, and every path and buffer is lent for one call.
  deinit { unsafe crash_disk_free(disk) }

  private static func freshName() -> String {
    "power-\(names.add(1, ordering: .relaxed).newValue)"
  }

  private static func required(_ disk: OpaquePointer?) -> OpaquePointer {
    guard let disk = unsafe disk else { preconditionFailure("there is not enough memory for a disk") }
    return unsafe disk
  }

  /// Returns another disk with what is durable on this one.
  public func copy() -> CrashDisk { CrashDisk(copying: self) }

  public func keeper() -> RegistryKeeper { RegistryKeeper(path: Self.path, files: self) }

  // MARK: Failures

  public func cut(at change: Int) { unsafe crash_disk_cut_at(disk, Int64(change)) }

  /// Restarts the counts of changes and calls, and removes all failures.
  public func heal() {
    unsafe crash_disk_cut_at(disk, -1)
    unsafe crash_disk_fail_at(disk, -1, POWER_FAULT_IO, 0)
  }

  public func ignoreSyncs() { unsafe crash_disk_ignore_syncs(disk) }

  public func powerOff() { unsafe crash_disk_off(disk) }

  public func restart(_ loss: Loss = POWER_LOSES_ALL, seed: UInt64 = 0) {
    unsafe crash_disk_restart(disk, loss, seed)
  }

  public func fail(at call: Int, _ fault: Fault, stays: Bool) {
    unsafe crash_disk_fail_at(disk, Int64(call), fault, stays ? 1 : 0)
  }

  public var failureCount: Int { Int(unsafe crash_disk_failures(disk)) }
  public var changeCount: Int { Int(unsafe crash_disk_changes(disk)) }
  public var callCount: Int { Int(unsafe crash_disk_calls(disk)) }

  public subscript(path: String) -> [UInt8] {
    get {
      let count = unsafe crash_disk_read(disk, path, nil, 0)
      var bytes = [UInt8](repeating: 0, count: count)
      _ = unsafe crash_disk_read(disk, path, &bytes, count)
      return bytes
    }
    set { unsafe crash_disk_put(disk, path, newValue, newValue.count) }
  }

  // MARK: RegistryFiles

  public var vfs: String? { name }

  public func facts(of path: String) throws(SystemError) -> FileFacts? {
    let answer = unsafe crash_disk_exists(disk, path)
    guard answer >= 0 else { throw SystemError(.fstat, code: -answer) }
    return answer == 1 ? FileFacts(mode: 0o100600, owner: 0) : nil
  }

  public func resolve(folder path: String) throws(SystemError) -> (path: String, facts: FileFacts) {
    (path, FileFacts(mode: 0o040700, owner: 0))
  }

  public func contents(of path: String, byteCountMax: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(byteCountMax, self[path].count))
    let count = unsafe crash_disk_head(disk, path, &bytes, bytes.count)
    guard count >= 0 else { throw SystemError(.read, code: Int32(-count)) }
    return Array(bytes[..<count])
  }

  public func isLocked(_ path: String) -> Bool { false }

  public func create(_ path: String) throws(SystemError) {
    try check(.open, unsafe crash_disk_create(disk, path))
  }

  public func rename(_ path: String, to newPath: String) throws(SystemError) {
    try check(.rename, unsafe crash_disk_rename(disk, path, newPath))
  }

  public func remove(_ path: String) throws(SystemError) {
    let code = unsafe crash_disk_remove(disk, path)
    if code != ENOENT { try check(.unlink, code) }
  }

  public func syncFolder(of path: String) throws(SystemError) {
    try check(.fsync, unsafe crash_disk_sync_folder(disk))
  }

  private func check(_ call: SystemCall, _ code: Int32) throws(SystemError) {
    if code != 0 { throw SystemError(call, code: code) }
  }
}
