// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem
import ToolSystem
import ToolText

/// The questions of `setup`, on standard error, and the answers from standard input.
struct SetupDialogue {
  /// Without one there are no questions: each takes its default.
  let isTerminal: Bool

  /// Returns the answer to a question; an empty line means the default. A refused answer is explained, and the question
  /// asked again. `option` gives the answer on the command line, and is what a script lacks when there is no default.
  /// An answer that begins with `verbatimPrefix` keeps its blanks.
  func ask(
    _ question: String, _ choices: [String] = [], default standard: String?, option: String,
    verbatimPrefix: String? = nil, refusal: (String) -> String? = { _ in nil }
  ) throws(ToolError) -> String {
    guard isTerminal else {
      guard let standard else {
        throw .sentence("\(option) is missing: without a terminal it has to be given", .usage)
      }
      if let reason = refusal(standard) { throw .sentence("\(option): \(reason)", .usage) }
      return standard
    }
    StandardError.write("\n\(question)\n" + choices.map { "  \($0)\n" }.joined())
    while true {
      StandardError.write(standard.map { $0.isEmpty ? "> " : "[\(shown($0))] > " } ?? "> ")
      guard let line = StandardInput.line() else {
        StandardError.write("\n")
        throw .sentence("the input ended before the last answer; what was not confirmed was not changed", .no)
      }
      let text = line.drop { $0 == " " }
      let isVerbatim = verbatimPrefix.map(text.hasPrefix) ?? false
      let answer = isVerbatim ? String(text) : text.split(separator: " ").joined(separator: " ")
      guard !answer.isEmpty || standard != nil else { continue }
      let chosen = answer.isEmpty ? standard ?? "" : answer
      guard let reason = refusal(chosen) else { return chosen }
      StandardError.write("\(reason)\n")
    }
  }

  /// Shows what will change, and throws `refusal` unless the operator agrees. `file` is the difference of a file.
  func confirm(
    _ changes: [String], file: TextDifference?, isYes: Bool, refusal: String = Confirmation.refusal
  ) throws(ToolError) {
    guard !changes.isEmpty else { return }
    StandardError.write("\nThis will:\n" + changes.map { "  \($0)\n" }.joined())
    if let file {
      var printer = Printer()
      try printer.verbatim(file.text(printer.style))
      try printer.flush()
    }
    if !isYes { try Confirmation.ask("", refusal: refusal) }
  }
}
