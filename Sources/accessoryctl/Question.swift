// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

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
