// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import ManifestFormat

/// The names of the board profiles that the agent finds for a manifest.
public struct BoardNames: Sendable {
  /// In alphabetical order, with the one that needs no file.
  public let all: [String]
  /// Whether this machine has any profile.
  private let hasProfiles: Bool

  /// Where the agent searches, in its order: beside the manifest, in a checkout, and where the package has its profiles.
  public static func folders(manifestPath: String) -> [String] {
    let slash = manifestPath.lastIndex(of: "/")
    let folder = slash.map { String(manifestPath[..<$0]) } ?? "."
    return ["\(folder)/board", "\(folder)/../Board", "/usr/share/accessoryd/board"]
  }

  /// `filesIn` lists a folder; nothing for one that is not there.
  public init(manifestPath: String, filesIn: (String) -> [String]) {
    let files = Self.folders(manifestPath: manifestPath).flatMap(filesIn)
    let profiles = files.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }
    hasProfiles = !profiles.isEmpty
    all = Set(profiles + [BoardProfile.unmeasuredName]).sorted()
  }

  /// Why a board cannot be used; nil when there is a profile.
  public func refusal(of board: String) -> String? {
    guard !all.contains(board) else { return nil }
    let near = KeywordSuggestion.nearNames(to: board, among: all).first.map { "did you mean \($0)?" }
    return "\(Self.absence(of: board)); \(near ?? "there are: \(all.joined(separator: ", "))")"
  }

  /// What is wrong with the board of a manifest: an error as the agent's; or, on a machine without profiles, a warning that
  /// nothing is known of it.
  func finding(on board: String) -> (severity: Diagnostic.Severity, message: String)? {
    guard !all.contains(board) else { return nil }
    guard hasProfiles else {
      return (
        .warning,
        "the board \(board.quotedForDisplay) could not be checked, because this machine has no board profiles; "
          + "the gateway needs \(board).toml in board/ beside its manifest, or in /usr/share/accessoryd/board"
      )
    }
    let near = KeywordSuggestion.nearNames(to: board, among: all).first
    let question = near.map { "; did you mean \($0)? There are" } ?? "; there are"
    return (
      .error,
      "\(Self.absence(of: board))\(question): \(all.joined(separator: ", ")); name one of them, or leave out board"
    )
  }

  private static func absence(of board: String) -> String {
    "there is no profile of the board \(board.quotedForDisplay)"
  }
}
