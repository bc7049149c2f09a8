// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import JSON
import Testing
import Varlink

@Suite("Manual pages and completions")
struct DocumentsTests {
  private static let commands = [
    "status", "sightings", "watch", "explain", "try", "check", "suggest", "reload", "metrics", "report",
    "capture",
    "decode", "replay", "list", "rename", "remove", "allow", "authorize", "migrate", "registry",
    "registry-show", "registry-export", "registry-import", "registry-reset", "pick", "calibrate",
    "disconnect",
  ]

  @Test("Are made from what the programs say, and have no mistakes")
  func documents() throws {
    let folder = try TemporaryFolder()
    let tools = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    let made = try Tool.spawn(Package.path("Scripts/steps/documents"), [tools, folder.path])
    #expect(made.status == 0, "\(made.errorOutput)")
    let pages =
      [
        "man1/accessoryctl.1", "man5/accessoryd.toml.5", "man8/accessoryd.8", "man1/virtual-controller.1",
        "man1/accessory-esphome.1",
      ]
      + Self.commands.map { "man1/accessoryctl-\($0).1" }
    let files = pages.map { "\(folder.path)/share/man/\($0)" }
    #expect(files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    let lint = try Tool.spawn("/usr/bin/mandoc", ["-T", "lint"] + files)
    // The pages refer to each other, and are not installed here.
    #expect(lint.lines.allSatisfy { $0.contains("referenced manual not found") }, "\(lint.text)")
    for file in files {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("\n.Sh FILES\n") && text.contains("\n.Sh ENVIRONMENT\n"), "\(file)")
    }
    // Words in brackets are commands.
    let bridge = try String(contentsOfFile: files[4], encoding: .utf8)
    #expect(bridge.contains(".Nm\n.Op Cm run | key | enrol\n.Op Fl \\-port Ar N\n"))
    let manifest = try String(contentsOfFile: files[1], encoding: .utf8)
    for key in ["radio", "drain\\-interval\\-ms", "gate.lost\\-max\\-ms", "descriptor.ssid\\-prefix"] {
      #expect(manifest.contains(".It \"\\&\(key) = "), "\(key)")
    }
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

  @Test("Apps, items, accessories and devices are completed from the agent")
  func names() throws {
    let folder = try TemporaryFolder()
    let tools = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    #expect(try Tool.spawn(Package.path("Scripts/steps/documents"), [tools, folder.path]).status == 0)
    let items = Replies.items(["lights/bulb", "lights/strip", "music/strobe"].map { ($0, []) })
    let devices = Replies.devices([
      (0xC4A1_0000_1E27, "Lumo E27"), (0xC4A1_0000_1E28, "Twin"), (0xC4A1_0000_1E29, "Twin"),
      (2, "a$(id)`x`"),
    ])
    let agent = try StandInAgent(
      [],
      [
        "Items": items, "Sightings": devices,
        "List": Replies.accessories.compactMap { if case .send(let message) = $0 { message } else { nil } },
        "Registry": Replies.registry(removed: [("bulb", "C4:A1:00:00:1E:27")]).compactMap {
          if case .send(let message) = $0 { message } else { nil }
        },
      ])
    for (line, expected) in [
      ("list --app ", "lights music"), ("try ", "lights/bulb lights/strip music/strobe"),
      ("pick --app lights --item ", "bulb strip"),
      ("remove ", #"01234567 fedcba98"#), ("explain Lu", "Lumo E27"), ("explain Tw", ""), ("explain a", ""),
      ("explain C4:A1:00:00:1E:27", "27"), ("explain C4:A1:00:00:1E", "1E:27 1E:28 1E:29"),
      ("allow lights ", "C4:A1:00:00:1E:27 bulb"),
    ] {
      let run = try Tool.spawn(
        "/bin/bash",
        [
          "-c",
          #"""
          export ACCESSORYD_SOCKET=$4; PATH=$5:$PATH; source "$1"; COMP_LINE="accessoryctl $3"; COMP_POINT=${#COMP_LINE}
          read -ra COMP_WORDS <<< "${COMP_LINE//:/ : }"; [[ $3 == *' ' ]] && COMP_WORDS+=("")
          COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
          _accessoryctl_colons accessoryctl "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
          for word in "${COMPREPLY[@]}"; do [[ $word == -* ]] || echo "$word"; done
          """#, "bash", folder.path + "/share/bash-completion/completions/accessoryctl", folder.path, line,
          agent.path, tools,
        ])
      let words = run.lines.joined(separator: " ")
      #expect(words == expected, "\(line): \(run.errorOutput)")
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
