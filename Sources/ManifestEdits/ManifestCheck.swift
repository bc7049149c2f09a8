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
  /// What is wrong with its name; also among ``diagnostics``.
  public let boardDiagnostic: Diagnostic?

  /// Without `boards` the board's name is not checked.
  public init(
    _ file: File, fileName: String, accounts: AccountDirectory,
    board: (String) -> BoardProfile? = { _ in nil }, boards: BoardNames? = nil
  ) {
    self.fileName = fileName
    switch file {
    case .unreadable(let reason):
      status = .unreadable
      diagnostics = [Diagnostic(wholeFile: "this cannot be read: \(reason)")]
      (identityKeysPath, self.board, boardDiagnostic) = (nil, nil, nil)
    case .text(let text, let facts):
      let reading = ManifestReader.read(text: text, fileName: fileName, accounts: accounts, board: board)
      let problem = FileProtection.ownerWrites.error(for: facts)
      let gateway = reading.partialValue?.gateway
      (identityKeysPath, self.board) = (gateway?.identityKeys, gateway?.board)
      let finding = gateway.flatMap { boards?.finding(on: $0.board) }.map { finding in
        Self.diagnostic(ofBoard: finding.message, finding.severity, in: text)
      }
      boardDiagnostic = finding
      status =
        switch problem {
        case .notAFile?: .unreadable
        case _?: .unprotected
        case nil: reading.manifest == nil || finding?.severity == .error ? .refused : .accepted
        }
      diagnostics =
        (problem.map { [Diagnostic(wholeFile: $0.sentence)] } ?? [])
        + (reading.diagnostics + [finding].compactMap(\.self)).sorted()
    }
  }

  private static func diagnostic(
    ofBoard message: String, _ severity: Diagnostic.Severity, in text: [UInt8]
  ) -> Diagnostic {
    let path = ManifestKeyPath().appending("gateway").appending("board")
    let line = (try? TomlDocument.parse(text)).map { PositionIndex($0).line(of: path) } ?? 0
    return Diagnostic(severity: severity, line: line, keyPath: "gateway.board", message: message)
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
