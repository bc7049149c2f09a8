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
