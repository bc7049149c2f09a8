// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@Suite("Manual pages and completions")
struct DocumentsTests {
  private static let commands = [
    "status", "sightings", "watch", "explain", "try", "check", "suggest", "reload", "metrics", "capture",
    "decode", "replay", "list", "rename", "remove", "allow", "authorize", "registry", "registry-show",
    "registry-export", "registry-import", "registry-reset", "pick", "calibrate",
  ]

  @Test("Are made from what the programs say, and have no mistakes")
  func documents() throws {
    let folder = try TemporaryFolder()
    let tools = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    let made = try Tool.spawn(Package.path("Scripts/documents"), [tools, folder.path])
    #expect(made.status == 0, "\(made.errorOutput)")
    let pages =
      ["man1/accessoryctl.1", "man8/accessoryd.8"] + Self.commands.map { "man1/accessoryctl-\($0).1" }
    let files = pages.map { "\(folder.path)/share/man/\($0)" }
    #expect(files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    let lint = try Tool.spawn("/usr/bin/mandoc", ["-T", "lint", "-W", "warning"] + files)
    #expect(lint.status == 0 && lint.text.isEmpty, "\(lint.text)")
    for (shell, check, file) in [
      ("bash", "-n", "bash-completion/completions/accessoryctl"),
      ("zsh", "-n", "zsh/vendor-completions/_accessoryctl"),
      ("fish", "--no-execute", "fish/vendor_completions.d/accessoryctl.fish"),
    ] {
      let path = "\(folder.path)/share/\(file)"
      #expect(try String(contentsOfFile: path, encoding: .utf8).contains("sightings"))
      // Bash is everywhere; the others are asked where they are installed.
      guard FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)") else { continue }
      let run = try Tool.spawn("/usr/bin/\(shell)", [check, path])
      #expect(run.status == 0, "\(shell): \(run.errorOutput)")
    }
  }

  @Test("Files are completed where files are asked for")
  func files() throws {
    let folder = try TemporaryFolder()
    let script = try folder.file("completions", try Tool.run("--generate-completion-script", "bash").output)
    _ = try folder.file("room.btsnoop", [])
    for line in [
      "decode ro", "sightings --capture ro", "check ro", "capture ro", "status --socket ro",
      "registry export ro", "registry import ro",
    ] {
      let run = try Tool.spawn(
        "/bin/bash",
        [
          "-c",
          #"""
          source "$1"; cd "$2"; COMP_LINE="accessoryctl $3"; COMP_POINT=${#COMP_LINE}
          read -ra COMP_WORDS <<< "$COMP_LINE"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
          _accessoryctl accessoryctl "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; echo "${COMPREPLY[@]}"
          """#, "bash", script, folder.path, line,
        ])
      #expect(run.text == "room.btsnoop\n", "\(line): \(run.text)\(run.errorOutput)")
    }
  }
}
