// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import ToolText

/// The parameters of an error; what is missing is left out of the sentence.
struct Refusal: Error {
  private let reader: JSONObjectReader

  init(_ object: JSONObject) { reader = JSONObjectReader(object) }

  /// As it is, to be compared.
  func word(_ name: String) -> String? { try? reader.string(name) }

  /// Safe on a terminal.
  func text(_ name: String) -> String { word(name).map(shown) ?? "it" }

  /// A sentence of the agent's, safe on a terminal.
  func sentence(_ name: String, or fallback: String = "it does not say why") -> String {
    AirText(Array((word(name) ?? fallback).utf8)).sentence(columnsMax: 1000)
  }

  func number(_ name: String) -> String {
    (try? reader.integer(name) as Int64).map { "\($0)" } ?? "there is a limit"
  }

  func texts(_ name: String) -> [String] { (try? reader.strings(name)) ?? [] }
}

extension Failure {
  /// The agent's sentence says what is wrong with the registry and what to do.
  static func registryUnavailable(_ sentence: String?) -> Failure {
    let sentence = sentence ?? "the registry cannot be written"
    return .sentence(AirText(Array(sentence.utf8)).sentence(columnsMax: 1000), .ioError)
  }

  /// A name that names nothing; some that name something stand behind it.
  static func unknown(_ fault: String, known: [String], _ status: ExitStatus) -> Failure {
    let names = known.prefix(10).map(shown).joined(separator: ", ")
    return .sentence(names.isEmpty ? fault : "\(fault); name one of: \(names)", status)
  }

  /// An item's name that names none, or several.
  static func unknownItem(_ item: String, known: [String], isAmbiguous: Bool) -> Failure {
    let fault =
      isAmbiguous ? "several apps have an item \(quoted(item))" : "the manifest has no item \(quoted(item))"
    return unknown(fault, known: known, .usage)
  }
}
