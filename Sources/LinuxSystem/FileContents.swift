// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Why a file could not be read into memory.
public enum FileError: Error, Equatable, Sendable {
  case system(SystemError)
  case isDirectory
  /// A pipe or a device, where an ordinary file is needed.
  case isNotOrdinary
  /// The file has more bytes than the reader accepts.
  case tooLarge(byteCountMax: Int)
}

/// A whole file in memory, read once: if the file shrinks meanwhile, the contents end early.
public struct FileContents: Sendable {
  private static let chunkByteCount = 1 << 16

  public let bytes: [UInt8]
  /// `st_mode`: type and permissions.
  public let mode: UInt32
  /// `st_uid`.
  public let owner: UInt32

  /// Reads a file, a pipe or a device to its end. `-` is standard input.
  public init(reading path: String, byteCountMax: Int) throws(FileError) {
    let isInput = path == "-"
    let descriptor = isInput ? STDIN_FILENO : try Self.open(path, 0)
    defer { if !isInput { close(descriptor) } }
    try self.init(reading: descriptor, byteCountMax: byteCountMax, takesPipes: true)
  }

  /// Reads an ordinary file to its end. Pipes and devices are refused before they can block the caller.
  public init(ofFile path: String, byteCountMax: Int) throws(FileError) {
    let descriptor = try Self.open(path, O_NONBLOCK)
    defer { close(descriptor) }
    try self.init(reading: descriptor, byteCountMax: byteCountMax, takesPipes: false)
  }

  private static func open(_ path: String, _ flags: Int32) throws(FileError) -> Int32 {
    // Holds: the call only reads the path.
    try system(.open) { unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags) }
  }

  private init(reading descriptor: Int32, byteCountMax: Int, takesPipes: Bool) throws(FileError) {
    var status = stat()
    // Holds: `status` is a local variable.
    _ = try Self.system(.fstat) { unsafe fstat(descriptor, &status) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw .isDirectory }
    let isOrdinary = status.st_mode & S_IFMT == S_IFREG
    guard isOrdinary || takesPipes else { throw .isNotOrdinary }
    let byteCount = isOrdinary ? Int(status.st_size) : 0
    guard byteCount <= byteCountMax else { throw .tooLarge(byteCountMax: byteCountMax) }
    mode = status.st_mode
    owner = status.st_uid
    bytes = try Self.contents(of: descriptor, byteCount: byteCount, byteCountMax: byteCountMax)
  }

  /// Reads to the end. `byteCount` is the expected size, `byteCountMax` the largest accepted.
  private static func contents(
    of descriptor: Int32, byteCount: Int, byteCountMax: Int
  ) throws(FileError) -> [UInt8] {
    var contents: [UInt8] = []
    contents.reserveCapacity(byteCount)
    var chunk = [UInt8](repeating: 0, count: chunkByteCount)
    while true {
      let count = try system(.read) {
        // Holds: the buffer is the array's own, for as long as the call.
        unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      }
      guard count > 0 else { return contents }
      guard contents.count + count <= byteCountMax else { throw .tooLarge(byteCountMax: byteCountMax) }
      contents += chunk[..<count]
    }
  }

  private static func system<Result: SignedInteger>(
    _ name: SystemCall, _ call: () -> Result
  ) throws(FileError) -> Result {
    do throws(SystemError) { return try retryOnInterrupt(name, call) } catch { throw .system(error) }
  }
}

/// The entries of a folder.
public enum FolderContents {
  /// More than any folder that the programs read.
  private static let countMax = 65_536

  /// Returns the names in a folder in alphabetical order, without `.` and `..`. At most 65,536 are read.
  public static func names(in path: String) throws(SystemError) -> [String] {
    // Holds: the call only reads the path.
    let number = try retryOnInterrupt(.open) {
      unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
    }
    guard let folder = unsafe fdopendir(number) else {
      let error = SystemError(.open)
      close(number)
      throw error
    }
    // The folder owns the descriptor.
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while names.count < countMax, let entry = unsafe readdir(folder) {
      // Holds: the name ends with a zero within the entry, which is used before the next one is read.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
