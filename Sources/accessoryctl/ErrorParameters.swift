// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import ManifestEdits
import ManifestFormat
import ToolText

/// The parameters of an error that the agent replied with. A missing one gets a general word.
struct ErrorParameters: Error {
  private let reader: JSONObjectReader

  init(_ object: JSONObject) { reader = JSONObjectReader(object) }

  /// The text as it is, for comparisons.
  func word(_ name: String) -> String? { try? reader.string(name) }

  /// The text, safe on a terminal.
  func text(_ name: String) -> String { word(name).map(shown) ?? "it" }

  /// A sentence from the agent, safe on a terminal.
  func sentence(_ name: String, or fallback: String = "it does not say why") -> String {
    AirText(Array((word(name) ?? fallback).utf8)).sentence(columnsMax: 1000)
  }

  func number(_ name: String) -> String {
    (try? reader.integer(name) as Int64).map { "\($0)" } ?? "only some"
  }

  func texts(_ name: String) -> [String] { (try? reader.strings(name)) ?? [] }
}

extension ToolError {
  /// The agent's own sentence says what is wrong with the registry and what to do.
  static func registryUnavailable(_ sentence: String?) -> ToolError {
    let sentence = sentence ?? "the registry cannot be written"
    return .sentence(AirText(Array(sentence.utf8)).sentence(columnsMax: 1000), .ioError)
  }

  /// An unknown name; the sentence ends with the nearest known ones, or else with some.
  static func unknown(_ name: String?, _ reason: String, known: [String]) -> ToolError {
    let near = KeywordSuggestion.nearNames(to: name ?? "", among: known)
    let names = (near.isEmpty ? Array(known.prefix(10)) : near).map(shown).joined(separator: ", ")
    let question = near.isEmpty ? "name one of: \(names)" : "did you mean \(names)?"
    return .sentence(names.isEmpty ? reason : "\(reason); \(question)", .no)
  }

  /// A name that no item has, or several.
  static func unknownItem(_ item: String, known: [String], isAmbiguous: Bool) -> ToolError {
    let reason =
      isAmbiguous ? "several apps have an item \(quoted(item))" : "the manifest has no item \(quoted(item))"
    guard isAmbiguous else { return unknown(item, reason, known: known) }
    return .sentence("\(reason); name one of: \(known.prefix(10).map(shown).joined(separator: ", "))", .usage)
  }
}
