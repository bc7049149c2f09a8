// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// Where the tool speaks to the person in front of it.
enum StandardError {
  static var isTerminal: Bool { OutputFile.standardError().isTerminal }

  /// One line, behind the program's name. If nobody can hear it, nobody is told.
  static func say(_ sentence: String) { write("accessoryctl: \(sentence)\n") }

  /// Lines as they are.
  static func write(_ text: String) {
    var output = OutputFile.standardError()
    try? output.write(text.utf8)
    try? output.flush()
  }
}

/// Asks the person at the terminal before something is done that cannot be undone.
enum Question {
  /// Who cannot be asked is told so before anything else.
  static func requireTerminal() throws(Failure) {
    guard StandardInput.isTerminal else {
      throw .sentence(
        "this asks before it is done, and nobody is here to answer: run it in a terminal, or with --yes",
        .usage)
    }
  }

  /// Says what will happen, and goes on when the answer is yes.
  static func confirm(_ what: String) throws(Failure) {
    StandardError.write("\(what)\nGo on? [y/N] ")
    let answer = StandardInput.line()
    if answer == nil { StandardError.write("\n") }
    guard let answer, ["y", "yes"].contains(answer.lowercased()) else {
      throw .sentence("nothing was changed", .no)
    }
  }
}
