// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The built accessoryd on the scene of Config/story.toml, where a bulb is held at the gateway every six seconds while
/// this object lives. Every app of the manifest belongs to the account that runs the tests.
final class ScenarioAgent {
  /// Another app beside the story's, whose bulbs the operator chooses and names.
  private static let shelf = """

    [app.shelf]
    user = "USER"
    supports = ["Bluetooth"]
    bluetooth-company-identifiers = ["0x0EEE"]
    [[app.shelf.item]]
    id = "lamp"
    name = "Shelf lamp"
    setup-options = ["rename"]
    descriptor.bluetooth-company-identifier = "0x0EEE"
    """

  let folder: TemporaryFolder
  let socket: String
  private let controller = Process()
  private let process = Process()

  init(onTouch: String? = nil) throws {
    folder = try TemporaryFolder()
    socket = folder.path + "/socket"
    try FileManager.default.createDirectory(
      atPath: folder.path + "/board", withIntermediateDirectories: false)
    for (file, copy) in [
      ("Board/virtual.toml", "board/virtual.toml"), ("Config/story-scene.toml", "story-scene.toml"),
    ] {
      try FileManager.default.copyItem(atPath: Package.path(file), toPath: folder.path + "/" + copy)
    }
    var text = try String(contentsOfFile: Package.path("Config/story.toml"), encoding: .utf8) + Self.shelf
    text.replace(/user = ".*"/, with: "user = \"\(NSUserName())\"")
    if let onTouch {
      try ProgramFile.writeScript(onTouch, to: folder.path + "/touched")
      text.replace("[gateway]\n", with: "[gateway]\non-touch = \"\(folder.path)/touched\"\n")
    }
    try start(
      controller, "virtual-controller",
      [folder.path + "/story-scene.toml", "--socket", folder.path + "/controller"])
    try awaitSocket(folder.path + "/controller")
    try start(
      process, "accessoryd",
      [
        "--manifest", try folder.file("manifest.toml", text), "--socket", socket, "--state",
        folder.path + "/state",
      ])
    try awaitSocket(socket)
  }

  private func start(_ process: Process, _ name: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: Tool.path).deletingLastPathComponent()
      .appendingPathComponent(name)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(forWritingAtPath: try folder.file("\(name).log", []))
    try process.run()
  }

  private func awaitSocket(_ path: String) throws {
    let listening = try Tool.shell(
      #"for i in $(seq 600); do [ -S "$1" ] && exit; sleep 0.05; done; exit 1"#, path)
    try #require(listening.status == 0, "\(log)")
  }

  deinit {
    for process in [process, controller] where process.isRunning {
      process.terminate()
      process.waitUntilExit()
    }
  }

  var log: String { (try? String(contentsOfFile: folder.path + "/accessoryd.log", encoding: .utf8)) ?? "" }

  func run(_ arguments: String...) throws -> Tool.Run { try Tool.run(arguments + ["--socket", socket]) }

  /// Runs the tool until its output is the expected one.
  func run(_ arguments: String..., until isDone: (Tool.Run) -> Bool) throws -> Tool.Run {
    let deadline = try MonotonicInstant.now().advanced(seconds: 60)
    var run = try Tool.run(arguments + ["--socket", socket])
    while try !isDone(run) && MonotonicInstant.now() < deadline {
      run = try Tool.run(arguments + ["--socket", socket])
    }
    return run
  }
}
