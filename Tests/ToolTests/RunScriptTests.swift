// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import TestSupport
import Testing

/// Scripts/run with the programs of this build, for as long as it has an owner.
private final class RunningScript {
  let folder: TemporaryFolder
  private let process = Process()

  init(_ arguments: [String] = []) throws {
    folder = try TemporaryFolder()
    // Other tests of this process have these signals blocked, which a program inherits.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["--default-signal=HUP,INT,TERM", "/usr/bin/setsid", "--wait", Package.path("Scripts/run")] + arguments
    process.environment = [
      "PATH": "/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": folder.path,
      "ACCESSORY_PROGRAMS": URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: try folder.file("output", []))
    process.standardError = FileHandle(forWritingAtPath: try folder.file("error", []))
    try process.run()
  }

  deinit {
    for identifier in processes { kill(identifier, SIGKILL) }
  }

  var output: String { (try? String(contentsOfFile: folder.path + "/output", encoding: .utf8)) ?? "" }
  var errors: String { (try? String(contentsOfFile: folder.path + "/error", encoding: .utf8)) ?? "" }

  /// The processes that have the script's temporary folder in their environment.
  var processes: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { identifier in
      let variables = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(identifier)/environ"))
      return variables?.range(of: Data("TMPDIR=\(folder.path)".utf8)) != nil
    }
  }

  /// The script itself, which leads a process group as in a terminal.
  var script: Int32? {
    processes.first { identifier in
      let words = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(identifier)/cmdline"))
      return words?.range(of: Data("bash".utf8)) != nil && getpgid(identifier) == identifier
    }
  }

  func wait(for what: Comment, _ isDone: () -> Bool) throws {
    let isInTime = happens(within: 60, isDone)
    try #require(isInTime, "\(what): \(output)\(errors)")
  }

  func awaitEnd() throws -> Int32 {
    try wait(for: "it ends") { !process.isRunning }
    return process.terminationStatus
  }

  /// What is left in the temporary folder beside what this test has put there.
  var leftovers: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
      $0 != "output" && $0 != "error"
    }
  }
}

@Suite("Scripts/run")
struct RunScriptTests {
  @Test(
    "It shows the scene live, and ends everything on Ctrl-C, SIGTERM and SIGHUP",
    arguments: [(SIGINT, true), (SIGTERM, false), (SIGHUP, false)])
  func signals(signal: Int32, isForAll: Bool) throws {
    let run = try RunningScript()
    try run.wait(for: "an accessory is found") { run.output.contains(" found ") }
    #expect(run.errors.contains("the agent runs; in another terminal, try:"))
    let script = try #require(run.script)
    // A terminal sends Ctrl-C to all of its foreground.
    kill(isForAll ? -script : script, signal)
    #expect(try run.awaitEnd() == 128 + signal)
    #expect(run.processes.isEmpty && run.leftovers.isEmpty, "\(run.processes) \(run.leftovers)")
  }

  @Test("It ends after --seconds", arguments: [["--scene"], ["--room"], []])
  func seconds(option: [String]) throws {
    let scene = option.isEmpty ? [] : option + [Package.path("Config/story-scene.toml")]
    let run = try RunningScript(["--seconds", "3"] + scene)
    #expect(try run.awaitEnd() == 0, "\(run.errors)")
    #expect(run.processes.isEmpty && run.leftovers.isEmpty, "\(run.processes) \(run.leftovers)")
  }

  @Test("A scene with a mistake is reported, and nothing is left running")
  func badScene() throws {
    let run = try RunningScript(["--scene", Package.path("Config/accessoryd.toml")])
    #expect(try run.awaitEnd() == 65)
    #expect(run.errors.contains("virtual-controller: "))
    #expect(run.processes.isEmpty && run.leftovers.isEmpty, "\(run.processes) \(run.leftovers)")
  }
}
