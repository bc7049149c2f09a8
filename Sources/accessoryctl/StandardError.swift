// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import ToolSystem
import ToolText

/// Messages for the operator.
enum StandardError {
  static var isTerminal: Bool { OutputFile.standardError().isTerminal }

  /// Writes one line that begins with the program's name. Errors are ignored: there is no other place to report them.
  static func say(_ sentence: String) { write("accessoryctl: \(sentence)\n") }

  /// Writes sentences: on a terminal, folded at its width.
  static func write(_ text: String) {
    verbatim(OutputFile.standardError().terminalColumnCount.map { text.foldedLines(to: $0) } ?? text)
  }

  /// Writes text as it is.
  static func verbatim(_ text: String) {
    var output = OutputFile.standardError()
    try? output.write(text.utf8)
    try? output.flush()
  }
}

/// Asks the operator before an action that cannot be undone.
enum Confirmation {
  static let refusal = "nothing was changed"

  /// Prints what will happen, and throws `refusal` unless the operator agrees.
  static func ask(_ what: String, refusal: String = Self.refusal) throws(ToolError) {
    guard StandardInput.isTerminal else {
      throw .sentence(
        "this command asks for confirmation, and there is no terminal: run it in a terminal, or with --yes",
        .usage)
    }
    StandardError.write("\(what)\nGo on? [y/N] ")
    let answer = StandardInput.line()
    if answer == nil { StandardError.write("\n") }
    guard let answer, ["y", "yes"].contains(answer.lowercased()) else {
      throw .sentence(refusal, .no)
    }
  }
}
