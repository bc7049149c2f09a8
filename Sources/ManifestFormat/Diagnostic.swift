// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

/// An error or a warning about a file, with its cure.
public struct Diagnostic: Equatable, Sendable {
  public enum Severity: String, Sendable {
    /// The file is not accepted.
    case error
    /// The file is accepted, but probably has a mistake.
    case warning
  }

  public let severity: Severity
  /// Counted from 1; 0 for the file as a whole.
  public let line: Int
  /// The location in the file's tables; empty for the whole file and for syntax errors.
  public let keyPath: String
  /// What is wrong, and how to correct it.
  public let message: String

  public init(warningOfFile message: String) {
    self.init(severity: .warning, line: 0, keyPath: "", message: message)
  }

  package init(severity: Severity, line: Int, keyPath: String, message: String) {
    self.severity = severity
    self.line = line
    self.keyPath = keyPath
    self.message = message
  }

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

/// Collects the diagnostics of a text while it is read, by key path; their lines are looked up at the end.
///
/// One reading owns it; it is a class only because many table readers write to it. It keeps the first ``capacity``
/// diagnostics and counts the rest: an integrator corrects the first ones and checks again.
package final class DiagnosticLog {
  static let capacity = 1000

  /// The number of diagnostics that were not kept, and whether one of them is an error.
  private(set) var dropped = (count: 0, hasError: false)
  private(set) var entries: [(path: ManifestKeyPath, problem: FormatDiagnostic)] = []
  /// The keys of the text that gave no value; rules that need them are skipped.
  private(set) var unreadable: Set<ManifestKeyPath> = []
  /// Where the text has what belongs to a path: misspelt, or in another table.
  private(set) var misplaced: [ManifestKeyPath: ManifestKeyPath] = [:]

  package init() {}

  package func report(_ problem: FormatDiagnostic, at path: ManifestKeyPath) {
    if entries.count < Self.capacity {
      entries.append((path, problem))
    } else {
      dropped.count += 1
      dropped.hasError = dropped.hasError || problem.severity == .error
    }
    if problem.leavesNoValue { noteUnreadable(path) }
  }

  func noteUnreadable(_ path: ManifestKeyPath) { unreadable.insert(path) }

  func note(_ written: ManifestKeyPath, standsFor path: ManifestKeyPath) { misplaced[path] = written }
}
