// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation

/// Programs that a test writes.
public enum ProgramFile {
  /// Writes a shell script, by a process of its own: a test that starts a program at the same time would let that have
  /// the file open for writing for a moment, in which it cannot be run.
  public static func writeScript(_ text: String, to path: String, mode: String = "755") throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    let command = #"printf '#!/bin/sh\n%s\n' "$1" >"$2" && chmod "$3" "$2""#
    shell.arguments = ["-c", command, "sh", text, path, mode]
    try shell.run()
    shell.waitUntilExit()
    guard shell.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
