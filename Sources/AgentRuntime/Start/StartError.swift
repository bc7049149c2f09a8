// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Manifest
import ManifestFormat

/// Why the agent cannot start: what happened, where, and what to do.
struct StartError: Error {
  let status: ExitCode
  /// The errors and warnings of a file, in the lines of `accessoryctl check`; nil for an error that is not in a file.
  private let lines: [String]?
  private let sentence: String
  let isMissingFile: Bool

  private init(
    _ status: ExitCode, _ sentence: String, lines: [String]? = nil, isMissingFile: Bool = false
  ) {
    (self.status, self.sentence, self.lines, self.isMissingFile) = (status, sentence, lines, isMissingFile)
  }

  /// One line, or one for each error in a file and the sentence.
  var sentences: [String] { (lines ?? []) + [sentence] }

  /// The errors, for the client that asked for a reload.
  var findings: [String] { lines ?? [sentence] }

  static func usage(_ error: UsageError) -> Self {
    Self(.usage, "\(error.sentence); see accessoryd --help")
  }
  static func file(_ role: TrustedFile.Role, path: String, _ error: FileError) -> Self {
    let sentence = "cannot read the \(role.rawValue) \(quoted(path)): \(error.sentence)"
    return switch error {
    case .system(let error):
      Self(error.isPermission ? .noPermission : .noInput, sentence, isMissingFile: error.isMissing)
    case .isDirectory, .isNotOrdinary: Self(.noInput, sentence)
    case .tooLarge: Self(.dataError, sentence)
    }
  }
  static func protection(_ role: TrustedFile.Role, path: String, _ error: FileProtectionError) -> Self {
    Self(
      error == .notAFile ? .noInput : .noPermission,
      "cannot trust the \(role.rawValue) \(quoted(path)): \(error.sentence)")
  }
  static func content(_ role: TrustedFile.Role, path: String, lines: [String], errorCount: Int) -> Self {
    let (errors, them) = errorCount == 1 ? ("one error", "it") : ("\(errorCount) errors", "them")
    return Self(
      .dataError, "the \(role.rawValue) \(quoted(path)) has \(errors); correct \(them) and start again",
      lines: lines)
  }
  static func noBoard(_ name: String, searched: [String]) -> Self {
    Self(
      .noInput,
      "there is no profile of the board \(quoted(name)); searched for "
        + searched.map(shown).joined(separator: ", ")
        + "; copy Board/generic.toml to one of these paths, or leave out `board` in the manifest")
  }
  /// Another agent holds the socket's lock.
  static func anotherAgent(socket: String) -> Self {
    Self(
      .unavailable,
      "another agent serves \(quoted(socket)); end it first, or choose another path with --socket")
  }
  /// A program that is not an agent listens at the socket.
  static func socketInUse(socket: String) -> Self {
    Self(
      .unavailable,
      "another program listens at \(quoted(socket)); end it first, or choose another path with --socket")
  }
  static func notASocket(_ path: String) -> Self {
    noSocket(path, "another kind of file has that name; remove it, or choose another path with --socket")
  }
  static func socketTooLong(_ path: String, byteCountMax: Int) -> Self {
    noSocket(path, "a socket's path has at most \(byteCountMax) bytes; choose a shorter one")
  }
  static func socket(_ path: String, _ error: SystemError) -> Self {
    let folder = quoted(DurableFile.folder(of: path))
    if error.isExhausted {
      return noSocket(path, "\(error.sentence); free some, or raise the limit (ulimit -n)", .systemError)
    }
    if error.isMissing { return noSocket(path, "there is no folder \(folder); create it first") }
    if error.isPermission {
      let cure = "the agent's account may not write \(folder); give it the folder, or use another"
      return noSocket(path, cure, .noPermission)
    }
    return noSocket(path, "\(error.sentence); choose another path with --socket")
  }
  private static func noSocket(_ path: String, _ reason: String, _ status: ExitCode = .cannotCreate) -> Self {
    Self(status, "cannot create the socket \(quoted(path)): \(reason)")
  }
  /// The limit of open descriptors leaves none for a client.
  static func tooFewDescriptors(limit: Int, needed: Int) -> Self {
    Self(
      .systemError,
      "the process may open only \(limit) descriptors, too few to serve any client; "
        + "raise the limit to \(needed) (LimitNOFILE of the unit, or ulimit -n)")
  }
  static func system(_ error: SystemError) -> Self {
    Self(
      .systemError,
      "the system refused a call that the agent needs: \(error.sentence); free memory or descriptors and start again"
    )
  }
}
