// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import ManifestFormat

/// The diagnostics of `accessoryctl check` for one file, and its exit status.
public struct ManifestCheck: Sendable {
  /// The file that the caller read, or tried to read.
  public enum File: Sendable {
    /// The file could not be read; `reason` is the system's text.
    case unreadable(reason: String)
    case text([UInt8], FileFacts)
  }

  /// The exit statuses (`sysexits.h` from 64 on).
  public enum Status: Int32, Sendable {
    /// No error; there may be warnings.
    case accepted = 0
    case refused = 1
    /// `EX_NOINPUT`
    case unreadable = 66
    /// `EX_NOPERM`: other users may write the file.
    case unprotected = 77
  }

  public let fileName: String
  public let status: Status
  /// Ordered by line.
  public let diagnostics: [Diagnostic]
  /// The file of identity keys that the manifest names, whatever else is wrong with it.
  public let identityKeysPath: String?
  /// The board that the manifest names or has by default, whatever else is wrong with it.
  public let board: String?

  /// `boardRefusal` says why a board cannot be used.
  public init(
    _ file: File, fileName: String, accounts: AccountDirectory,
    board: (String) -> BoardProfile? = { _ in nil }, boardRefusal: (String) -> String? = { _ in nil }
  ) {
    self.fileName = fileName
    switch file {
    case .unreadable(let reason):
      status = .unreadable
      diagnostics = [Diagnostic(wholeFile: "this cannot be read: \(reason)")]
      (identityKeysPath, self.board) = (nil, nil)
    case .text(let text, let facts):
      let reading = ManifestReader.read(text: text, fileName: fileName, accounts: accounts, board: board)
      let problem = FileProtection.ownerWrites.error(for: facts)
      let gateway = reading.partialValue?.gateway
      (identityKeysPath, self.board) = (gateway?.identityKeys, gateway?.board)
      let refusal = gateway.flatMap { boardRefusal($0.board) }.map { Self.refusal(ofBoard: $0, in: text) }
      status =
        switch problem {
        case .notAFile?: .unreadable
        case _?: .unprotected
        case nil: reading.manifest == nil || refusal != nil ? .refused : .accepted
        }
      diagnostics =
        (problem.map { [Diagnostic(wholeFile: $0.sentence)] } ?? [])
        + (reading.diagnostics + [refusal].compactMap(\.self)).sorted()
    }
  }

  private static func refusal(ofBoard reason: String, in text: [UInt8]) -> Diagnostic {
    let path = ManifestKeyPath().appending("gateway").appending("board")
    let line = (try? TomlDocument.parse(text)).map { PositionIndex($0).line(of: path) } ?? 0
    return Diagnostic(severity: .error, line: line, keyPath: "gateway.board", message: reason)
  }

  /// `file:line: key path: sentence`, one diagnostic each.
  public var lines: [String] { diagnostics.map { $0.line(inFile: fileName) } }
}

extension Diagnostic {
  /// An error of the file as a whole.
  public init(wholeFile message: String) {
    self.init(severity: .error, line: 0, keyPath: "", message: message)
  }
}
