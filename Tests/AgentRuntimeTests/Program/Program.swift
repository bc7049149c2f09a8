// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

/// A program of this package, run as one.
final class Program {
  let process = Process()
  let folder: Folder
  private let errorName: String

  static func path(_ name: String) -> String { BuiltPrograms.path(name) }

  /// A shell's words that run a program without root's capabilities. Root is then an account like any other, which may
  /// not be able to enter the checkout; so the shell copies the program into its folder first.
  static let withoutCapabilities =
    #"cp "$0" agent && exec setpriv --inh-caps=-all --bounding-set=-all ./agent "$@""#

  /// Starts it in `folder`; standard error goes to the file `NAME.log` there. `isJournal` pretends that it is the
  /// journal's.
  init(
    _ name: String, _ arguments: [String], in folder: Folder, environment: [String: String] = [:],
    isJournal: Bool = false
  ) throws {
    self.folder = folder
    errorName = "\((name as NSString).lastPathComponent)-\(UUID().uuidString.prefix(4)).log"
    let file = try folder.file(errorName, "")
    process.executableURL = URL(fileURLWithPath: name.hasPrefix("/") ? name : Self.path(name))
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    var variables = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"].merging(environment) { $1 }
    if isJournal {
      let facts = try FileManager.default.attributesOfItem(atPath: file)
      let device = try #require(facts[.systemNumber] as? Int)
      let inode = try #require(facts[.systemFileNumber] as? Int)
      variables["JOURNAL_STREAM"] = "\(device):\(inode)"
    }
    process.environment = variables
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let handle = try #require(FileHandle(forWritingAtPath: file))
    process.standardError = handle
    try process.run()
  }

  deinit {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// What it said on standard error so far.
  var errors: String { (try? folder.text(errorName)) ?? "" }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The exit status, or the signal that ended it below zero.
  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}

/// An agent and the service manager it reports to.
struct RunningAgent {
  let program: Program
  let manager: ManagerSocket
  let folder: Folder
  var socket: String { folder("socket") }

  init(
    _ folder: Folder, radio: String? = nil, environment: [String: String] = [:], isJournal: Bool = false,
    shell: String? = nil, state: String = "state"
  ) throws {
    self.folder = folder
    if radio == nil { try folder.serveScene() }
    manager = try ManagerSocket(path: folder("manager-\(UUID().uuidString.prefix(4))"))
    var variables = environment
    variables["NOTIFY_SOCKET"] = manager.path
    var arguments = [
      "--manifest", folder("manifest.toml"), "--socket", folder("socket"), "--state", folder(state),
      "--log-level",
      "debug",
    ]
    if let radio { arguments += ["--radio", radio] }
    if let shell {
      // A shell that sets a limit and becomes the agent.
      let command = shell + #"; exec "$0" "$@""#
      program = try Program(
        "/bin/sh", ["-c", command, Program.path("accessoryd")] + arguments, in: folder, environment: variables
      )
    } else {
      program = try Program(
        "accessoryd", arguments, in: folder, environment: variables, isJournal: isJournal)
    }
    try manager.expect("READY=1")
  }

  /// Waits until the last status for the service manager names this state of the radio.
  func expectRadio(_ state: String, _ location: SourceLocation = #_sourceLocation) throws {
    let status = "STATUS=radio \(state),"
    if manager.messages.last(where: { $0.contains("STATUS=") })?.contains(status) == true { return }
    try manager.expect(status, location) { $0.contains(status) }
  }

  /// Waits until the log has said this; what was logged.
  func expectLog(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> String {
    try manager.wait(for: "the log line \(text)", location) { program.errors.contains(text) }
    return program.errors
  }

  /// Ends the agent as the service manager does. Returns the exit status.
  func end() -> Int32 {
    program.send(SIGTERM)
    return program.wait()
  }
}
