// SPDX-License-Identifier: GPL-3.0-or-later

package import AgentCore

/// Collects what is wrong with a text while it is read, by key path; lines are looked up at the end.
///
/// One reading owns it; it is a class only because many table readers write to the same one.
package final class ProblemLog {
  private(set) var entries: [(path: ManifestKeyPath, problem: FormatProblem)] = []
  /// The keys that stand in the text and gave no value; rules that would need them stay silent.
  private(set) var unreadable: Set<ManifestKeyPath> = []

  package init() {}

  package func report(_ problem: FormatProblem, at path: ManifestKeyPath) {
    entries.append((path, problem))
    if problem.severity == .error { unreadable.insert(path) }
  }
}
