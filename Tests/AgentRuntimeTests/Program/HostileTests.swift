// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// Programs in Python against a running agent, in a scene of thirty bulbs that change all the time.
@Suite("The agent and its clients")
struct HostileTests {
  private static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Each value of a bulb is one that it did not send for long, because frames that alternate are no news.
  private static var scene: String {
    let values = (0..<32).map { "\"a55a\(String(format: "%02x", $0))\"" }.joined(separator: ", ")
    let bulbs = (0..<30).map { number in
      """
      [[device]]
      name = "bulb \(number)"
      address = "C4:A1:00:00:1E:\(String(format: "%02X", number))"
      address-type = "static"
      interval = "100ms"
      turn = "500ms"
      payload = [{ company = "0x0EEE", data = [\(values)] }]
      dbm = -50
      """
    }
    return (["schema = 1"] + bulbs).joined(separator: "\n\n") + "\n"
  }

  /// The users are on every Debian; hostile.py comes as each of them.
  private static var manifest: String {
    let users = ["bin", "sys", "games"].map { "[app.\($0)]\nuser = \"\($0)\"\nsupports = [\"Bluetooth\"]\n" }
    let gateway = "[gateway]\nboard = \"virtual\"\nchanged-interval-ms = 100\n"
    return Folder.manifest.replacing("[gateway]\n", with: gateway) + "\n" + users.joined(separator: "\n")
  }

  private func agent(_ scene: String = scene, shell: String? = nil) throws -> RunningAgent {
    let folder = try Folder()
    _ = try folder.file("scene.toml", scene)
    _ = try folder.file("manifest.toml", Self.manifest)
    try FileManager.default.createDirectory(atPath: folder("board"), withIntermediateDirectories: true)
    let board = Self.scripts.appendingPathComponent("../../Board/virtual.toml").standardized
    try FileManager.default.copyItem(atPath: board.path, toPath: folder("board/virtual.toml"))
    return try RunningAgent(folder, shell: shell)
  }

  /// Runs a script and returns its output; the test fails if the script fails.
  private func run(
    _ python: String, _ script: String, _ arguments: [String], in folder: Folder
  ) throws -> String {
    let path = Self.scripts.appendingPathComponent(script).path
    let output = try folder.file("output.txt", "")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [python, path] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forUpdatingAtPath: output)
    try process.run()
    process.waitUntilExit()
    let text = try folder.text("output.txt")
    #expect(process.terminationStatus == 0, "\(text)")
    return text
  }

  @Test("Whatever clients do costs what the limits say, and the watcher beside them sees no gap")
  func hostile() throws {
    let agent = try agent()
    let process = "\(agent.program.process.processIdentifier)"
    let text = try run("python3", "hostile.py", [agent.socket, process], in: agent.folder)
    #expect(text.contains("\nheld"), "\(text)")
    if geteuid() != 0 { print("hostile.py came from one user only: run the tests as root for several") }
    #expect(agent.end() == 0)
  }

  @Test("Without a free descriptor the listener pauses, and later accepts the clients that still wait")
  func exhausted() throws {
    // Nothing but clients makes the loop turn.
    let agent = try agent(Folder.scene.replacing("50ms", with: "10s"), shell: "ulimit -n 24")
    let text = try run("python3", "exhausted.py", [agent.socket], in: agent.folder)
    #expect(text.contains("held"), "\(text)")
    #expect(agent.end() == 0)
  }

  @Test("An app that was killed with an open picker is not in the way of its next run")
  func killed() throws {
    let folder = try Folder()
    _ = try folder.file("manifest.toml", Folder.manifest.replacing("user =", with: "socket = true\nuser ="))
    let agent = try RunningAgent(folder)
    let text = try run("python3", "killed.py", [folder("app/lights")], in: folder)
    #expect(text.contains("held"), "\(text)")
    #expect(agent.end() == 0)
  }

  /// The Python that has the package `varlink`; nil where none can be made.
  private static let python: String? = {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = scripts.appendingPathComponent("../../Scripts/steps/varlink-client").standardized
    process.standardOutput = pipe
    guard (try? process.run()) != nil else { return nil }
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? text.split(separator: "\n").last.map(String.init) : nil
  }()

  @Test(
    "Another implementation's client lists, introspects, calls and streams, from Python and from the shell",
    .enabled(if: python != nil, "needs python3-venv and PyPI, see Scripts/steps/varlink-client"))
  func peer() throws {
    let agent = try agent()
    try agent.manager.expect("a status") { $0.contains("STATUS=radio on") }
    let definitions = Self.scripts.appendingPathComponent("../../Config").standardized.path
    let python = try #require(Self.python)
    let text = try run(python, "peer.py", [agent.socket, definitions], in: agent.folder)
    #expect(text.contains("conforms"), "\(text)")
    #expect(agent.end() == 0)
  }
}
