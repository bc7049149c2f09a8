// SPDX-License-Identifier: GPL-3.0-or-later

/// One thing that is wrong with a file, or doubtful, with its cure.
public struct Diagnostic: Equatable, Sendable {
  public enum Severity: String, Sendable {
    /// The file is not accepted.
    case error
    /// The file is accepted, and probably does not do what was meant.
    case warning
  }

  public let severity: Severity
  /// Counted from 1; 0 for the file as a whole.
  public let line: Int
  /// Where in the file's tables; empty for the whole file and for syntax errors.
  public let keyPath: String
  /// What is wrong, and what would be right.
  public let message: String

  /// `file:line: key path: sentence`; a warning's sentence begins with the word.
  public func line(inFile fileName: String) -> String {
    let place = line > 0 ? "\(fileName):\(line)" : fileName
    let sentence = severity == .warning ? "warning: \(message)" : message
    return ([place] + (keyPath.isEmpty ? [] : [keyPath]) + [sentence]).joined(separator: ": ")
  }
}

extension Diagnostic: Comparable {
  /// By line, then by key path, then by message: the same order on every run.
  public static func < (left: Diagnostic, right: Diagnostic) -> Bool {
    (left.line, left.keyPath, left.message) < (right.line, right.keyPath, right.message)
  }
}
