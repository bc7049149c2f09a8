// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

/// The built accessoryd with the demonstration's scene. It runs as long as this object lives.
private final class RunningAgent {
  let socket: String
  private let folder: TemporaryFolder
  private var process: Process

  init() throws {
    folder = try TemporaryFolder()
    socket = folder.path + "/io.accessoryd"
    process = try Self.start(socket)
  }

  private static func start(_ socket: String) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Tool.path).deletingLastPathComponent()
      .appendingPathComponent("accessoryd")
    // Played as it was recorded: the first devices are there after some seconds.
    process.arguments = [
      "--manifest", Package.path("Config/accessoryd.toml"), "--socket", socket, "--state", socket + ".state",
      "--radio",
      "btsnoop:" + Package.path("Config/demo-scene.btsnoop"),
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Kills the agent without warning, and starts it again.
  func restart() throws {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    process = try Self.start(socket)
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  /// Runs the tool up to 200 times, until its output is the expected one.
  func run(_ arguments: String..., until isDone: (Tool.Run) -> Bool) throws -> Tool.Run {
    for _ in 0..<200 {
      let run = try Tool.run(arguments + ["--socket", socket])
      if isDone(run) { return run }
    }
    return try Tool.run(arguments + ["--socket", socket])
  }
}

@Suite("The tool with the real agent", .serialized)
struct AgentTests {
  private let agent: RunningAgent

  init() throws {
    agent = try RunningAgent()
    _ = try agent.run("sightings") { $0.lines.count > 3 }
  }

  private func run(_ arguments: String...) throws -> Tool.Run {
    try Tool.run(arguments + ["--socket", agent.socket])
  }

  @Test("The radio's reports come as lines that the schema allows, and to the example in Python")
  func reports() throws {
    // It plays the recording again.
    try agent.restart()
    _ = try agent.run("sightings") { $0.status == 0 }
    let reports = try run("watch", "--reports", "--json", "--count", "20", "--seconds", "20")
    #expect(reports.status == 0 && reports.lines.count == 21, "\(reports.errorOutput)")
    #expect(reports.lines.first?.hasPrefix(#"{"radio":{"state":"on""#) == true)
    try expectValid(reports.output, "reports")
    let text = try run("watch", "--reports", "--count", "1", "--seconds", "20")
    #expect(text.lines.count == 2 && text.lines[1].contains(" dBm  "), "\(text.text)")
    #expect(try run("watch", "--reports", "--forward", "accessories", "--seconds", "0.2").status == 1)
    let example = try Tool.shell(
      "timeout 20 /usr/bin/python3 -B \"$1\" \"$2\" 2>/dev/null | head -n 5",
      Package.path("Scripts/examples/reports.py"), agent.socket)
    #expect(example.lines.first == "the radio is on" && example.lines.count == 5, "\(example.text)")
    #expect(example.lines.dropFirst().allSatisfy { $0.contains(" dBm ") })
  }

  @Test("Every command prints what its schema allows, and no control character")
  func everyCommand() throws {
    let sightings = try run("sightings", "--all", "--json")
    #expect(sightings.status == 0)
    try expectValid(sightings.output, "sightings")
    let address = String(try #require(sightings.lines.first).dropFirst(12).prefix(17))
    for (command, schema) in [
      (["sightings"], "sightings"), (["explain", address], "explain"), (["try", "thermometer"], "try"),
      (["status"], "status"), (["reload"], "reload"),
    ] {
      let text = try Tool.run(command + ["--socket", agent.socket])
      let json = try Tool.run(command + ["--json", "--socket", agent.socket])
      #expect([0, 1].contains(text.status) && text.errorOutput.isEmpty, "\(command) \(text.errorOutput)")
      #expect(!text.output.contains(0x1B))
      try expectValid(json.output, schema)
      // The digest of the manifest's file.
      let saysDigest = text.text.firstMatch(of: /SHA-256 +[0-9a-f]{64}\n/) != nil
      #expect(saysDigest == ["status", "reload"].contains(schema), "\(text.text)")
    }
    let watch = try run("watch", "--json", "--seconds", "0.3")
    #expect(watch.status == 0)
    try expectValid(watch.output, "watch")
    #expect(try run("try", "lamp").status == 1)
    #expect(try run("explain", "00:00:00:00:00:01").status == 1)
  }

  @Test("explain --at says how a device was heard at a time of the last ten minutes")
  func past() throws {
    let line = try #require(try run("sightings", "--json").lines.first { $0.contains("\"isFound\":true") })
    let address = String(line.dropFirst(12).prefix(17))
    let formatter = DateFormatter()
    formatter.dateFormat = "HH:mm"
    let now = formatter.string(from: Date())
    let minute = try run("explain", address, "--at", now)
    #expect(
      minute.status == 0 && minute.text.contains(" found (matched)"), "\(minute.text) \(minute.errorOutput)")
    let earlier = try run(
      "explain", address, "--at", formatter.string(from: Date(timeIntervalSinceNow: -3600)))
    #expect(
      earlier.status == 64 && earlier.errorOutput.contains("the last ten minutes only"),
      "\(earlier.errorOutput)")
    #expect(try run("explain", address, "--at", "25:00").status == 64)
    let other = try run("explain", "00:00:00:00:00:01", "--at", now)
    #expect(other.status == 1 && other.errorOutput.contains("no item had found the device"))
  }

  @Test("A watch continues after the agent is killed")
  func restart() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("lines", [])
    let watch = Process()
    watch.executableURL = URL(fileURLWithPath: Tool.path)
    watch.arguments = ["watch", "--json", "--socket", agent.socket]
    watch.standardOutput = FileHandle(forWritingAtPath: file)
    watch.standardError = FileHandle.nullDevice
    try watch.run()
    defer { watch.waitUntilExit() }
    defer { watch.terminate() }
    let begins = #"for i in $(seq 20000); do grep -q "$2" "$1" && exit 0; done; exit 1"#
    #expect(try Tool.shell(begins, file, "}$").status == 0)
    try agent.restart()
    #expect(try Tool.shell(begins, file, #"^{"epoch":"[0-9a-f]*","reset":{"#).status == 0)
    #expect(watch.isRunning)
    watch.terminate()
    watch.waitUntilExit()
    #expect(watch.terminationReason == .exit && watch.terminationStatus == 0)
    try expectValid(Array(Data(contentsOf: URL(fileURLWithPath: file))), "watch")
  }

  @Test("Metrics are what Prometheus reads")
  func metrics() throws {
    let python = try Tool.spawn(Package.path("Scripts/steps/varlink-client"), [])
    guard python.status == 0 else {
      Issue.record("Scripts/steps/varlink-client: \(python.errorOutput)")
      return
    }
    let folder = try TemporaryFolder()
    let text = try folder.file("metrics", try run("metrics").output)
    let check = try Tool.shell(
      #"exec "$1" "$2" < "$3""#, python.text.trimmingCharacters(in: .whitespacesAndNewlines),
      Package.path("Tests/ToolTests/metrics.py"), text)
    #expect(check.status == 0, "\(check.text)\(check.errorOutput)")
  }

  @Test(
    "The checker of metrics finds errors",
    arguments: [
      "a_total 1\n", "# HELP a_total A.\n# TYPE a_total counter\na_total 1\na_total 2\n",
      "# HELP a A.\n# TYPE a counter\na 1\n", "# HELP a_total A.\n# TYPE a_total counter\na_total -1\n",
      "# HELP a A.\n# TYPE a gauge\na 1", "",
    ])
  func checker(text: String) throws {
    let python = try Tool.spawn(Package.path("Scripts/steps/varlink-client"), [])
    guard python.status == 0 else { return }
    let folder = try TemporaryFolder()
    let file = try folder.file("metrics", text)
    let check = try Tool.shell(
      #"exec "$1" "$2" < "$3""#, python.text.trimmingCharacters(in: .whitespacesAndNewlines),
      Package.path("Tests/ToolTests/metrics.py"), file)
    #expect(check.status == 1, "\(check.text)\(check.errorOutput)")
  }
}
