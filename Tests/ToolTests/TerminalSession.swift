// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing

/// A terminal with a program in it: keys go in, what is on the screen comes out. It is tmux's, with a server of its
/// own, and goes away with its owner.
final class TerminalSession {
  private let folder: TemporaryFolder
  /// Gets what the program prints, when it is on the screen.
  private let output: FileHandle

  /// Runs the tool with arguments in a terminal of a size; when it has ended its status is on the screen, and whether
  /// the terminal's settings are what they were. What it says on standard error is in ``errors``, or on the screen.
  init(
    _ arguments: [String], columns: Int = 80, rows: Int = 24, environment: String = "LC_ALL=C.UTF-8",
    showsErrors: Bool = false
  ) throws {
    folder = try TemporaryFolder()
    let script = try folder.file("script", Array(Self.script.utf8))
    let errors = showsErrors ? "/dev/tty" : folder.path + "/errors"
    let words = ([Tool.path, folder.path, errors] + arguments).map { "'\($0)'" }.joined(separator: " ")
    // Open for writing, too, so that it never ends.
    try #require(unsafe mkfifo(folder.path + "/output", 0o600) == 0)
    output = try #require(FileHandle(forUpdatingAtPath: folder.path + "/output"))
    let run = try Tool.spawn(
      "/usr/bin/python3",
      ["-c", Self.begin] + server + [
        "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
        "env \(environment) sh '\(script)' \(words)",
        ";", "pipe-pane", "exec cat > '\(folder.path)/output'",
      ])
    try #require(run.status == 0, "\(run.errorOutput)")
  }

  deinit { _ = try? tmux("kill-server") }

  /// The program's number is that of a shell which it takes the place of. When it was stopped, Enter continues it.
  private static let script = #"""
    tool=$1 folder=$2 errors=$3; shift 3
    set -m
    # Ctrl-C is for the program alone.
    trap : INT
    stty -g > "$folder/before"
    sh -c 'echo $$ > "$1/pid"; tool=$2; shift 2; exec "$tool" "$@"' sh "$folder" "$tool" "$@" 2> "$errors"
    status=$?
    while [ $status -eq 148 ]; do echo stopped; read -r line; fg > /dev/null; status=$?; done
    stty -g > "$folder/after"
    cmp "$folder/before" "$folder/after" && echo "ended with $status, restored"
    exec cat
    """#

  /// The server outlives the call: it must not inherit the descriptor that reports a child's end, and signals must
  /// reach it.
  private static let begin = """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.closerange(3, 1024)
    os.execv("/usr/bin/tmux", ["tmux"] + sys.argv[1:])
    """

  private var server: [String] { ["-f", "/dev/null", "-S", folder.path + "/tmux", "-u"] }

  private func tmux(_ arguments: String...) throws -> Tool.Run {
    try Tool.spawn("/usr/bin/tmux", server + arguments)
  }

  /// Presses keys, once the screen shows a text.
  func press(_ keys: String..., after text: String? = nil) throws {
    if let text { try wait(for: text) }
    for key in keys { _ = try tmux("send-keys", key) }
  }

  func resize(columns: Int, rows: Int) throws {
    _ = try tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  func signal(_ name: String) throws {
    _ = try Tool.shell(#"kill -"$1" "$(cat "$2")""#, name, folder.path + "/pid")
  }

  var errors: String { (try? String(contentsOfFile: folder.path + "/errors", encoding: .utf8)) ?? "" }

  /// The visible text; with `styles`, including the escape sequences for styles.
  func screen(styles: Bool = false) throws -> String {
    try styles ? tmux("capture-pane", "-p", "-e").text : tmux("capture-pane", "-p").text
  }

  /// The screen once a text is on it, or as it is when that takes too long.
  @discardableResult
  func wait(for texts: String..., at location: SourceLocation = #_sourceLocation) throws -> String {
    let deadline = try MonotonicInstant.now().advanced(seconds: 30)
    var screen = ""
    while try MonotonicInstant.now() < deadline {
      screen = try self.screen()
      if texts.contains(where: screen.contains) { return screen }
      awaitOutput(milliseconds: 1000)
    }
    Issue.record("\(texts) is not on the screen:\n\(screen)\(errors)", sourceLocation: location)
    return screen
  }

  /// Waits for output that no call has waited for.
  private func awaitOutput(milliseconds: Int32) {
    var entry = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
    if unsafe poll(&entry, 1, milliseconds) == 1 { _ = output.availableData }
  }

  /// Waits until the program has ended and expects the terminal to be as it was.
  func expectEnd(_ status: Int, _ location: SourceLocation = #_sourceLocation) throws {
    try wait(for: "ended with \(status), restored", at: location)
  }
}
