// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Manifest
import ManifestFormat

/// Why the agent cannot start.
enum StartError: Error {
  case usage(UsageError)
  case file(TrustedFile.Role, path: String, FileError)
  case protection(TrustedFile.Role, path: String, FileProtectionError)
  /// The file's errors and warnings, in the lines of `accessoryctl check`.
  case content(TrustedFile.Role, path: String, lines: [String], errorCount: Int)
  case noBoard(String, searched: [String])
  /// Another agent holds the socket's lock.
  case anotherAgent(socket: String)
  /// A program that is not an agent listens at the socket.
  case socketInUse(socket: String)
  case notASocket(String)
  case socketTooLong(String, byteCountMax: Int)
  case socket(String, SystemError)
  /// The limit of open descriptors leaves none for a client.
  case tooFewDescriptors(limit: Int, needed: Int)
  case system(SystemError)

  var status: ExitCode {
    switch self {
    case .usage: .usage
    case .file(_, _, .system(let error)): error.isPermission ? .noPermission : .noInput
    case .file(_, _, .isDirectory), .file(_, _, .isNotOrdinary): .noInput
    case .file(_, _, .tooLarge): .dataError
    case .protection(_, _, .notAFile): .noInput
    case .protection: .noPermission
    case .content: .dataError
    case .noBoard: .noInput
    case .anotherAgent, .socketInUse: .unavailable
    case .socket(_, let error) where error.isExhausted: .systemError
    case .socket(_, let error): error.isPermission ? .noPermission : .cannotCreate
    case .notASocket, .socketTooLong: .cannotCreate
    case .tooFewDescriptors, .system: .systemError
    }
  }
}
