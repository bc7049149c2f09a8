// SPDX-License-Identifier: GPL-3.0-or-later

/// A rule that a manifest breaks, and where.
public struct ManifestFinding: Equatable, Sendable {
  public let path: ManifestKeyPath
  public let problem: ManifestProblem

  public init(path: ManifestKeyPath, problem: ManifestProblem) {
    self.path = path
    self.problem = problem
  }
}
