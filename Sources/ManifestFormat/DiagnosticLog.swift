// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

/// Collects what is wrong with a text while it is read, by key path; lines are looked up at the end.
///
/// One reading owns it; it is a class only because many table readers write to the same one. It keeps the first
/// ``capacity`` problems and counts the rest: a person mends the first ones and asks again.
package final class DiagnosticLog {
  static let capacity = 1000

  /// Problems that were not kept, and whether an error is among them.
  private(set) var dropped = (count: 0, hasError: false)
  private(set) var entries: [(path: ManifestKeyPath, problem: FormatDiagnostic)] = []
  /// The keys that stand in the text and gave no value; rules that would need them stay silent.
  private(set) var unreadable: Set<ManifestKeyPath> = []

  package init() {}

  package func report(_ problem: FormatDiagnostic, at path: ManifestKeyPath) {
    if entries.count < Self.capacity {
      entries.append((path, problem))
    } else {
      dropped.count += 1
      dropped.hasError = dropped.hasError || problem.severity == .error
    }
    if problem.severity == .error { unreadable.insert(path) }
  }
}
