// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

/// The built accessoryctl, run as a program.
enum Tool {
  /// What a run left behind.
  struct Run {
    let status: Int32
    let output: [UInt8]
    let errorOutput: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [Substring] { text.split(separator: "\n") }
  }

  static let path = BuiltPrograms.path("accessoryctl")

  static func run(_ arguments: String...) throws -> Run { try run(arguments) }

  static func run(_ arguments: [String]) throws -> Run {
    try spawn(path, arguments)
  }

  /// A shell command in which `$TOOL` is the tool and `$1`, `$2`… are `arguments`.
  static func shell(_ command: String, _ arguments: String...) throws -> Run {
    try spawn("/bin/sh", ["-c", command, "sh"] + arguments)
  }

  /// Output goes to files, which never fill up as pipes do. A program that does not end in two minutes is killed.
  static func spawn(_ program: String, _ arguments: [String]) throws -> Run {
    let folder = try TemporaryFolder()
    let (output, errorOutput) = (try folder.file("output", []), try folder.file("error", []))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    // What the tests expect does not depend on the tables of the machine.
    process.environment = [
      "PATH": "/usr/bin:/bin", "LC_ALL": "C", "TOOL": path, "ACCESSORYD_VENDORS": "/dev/null",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errorOutput)
    try process.run()
    let identifier = process.processIdentifier
    let deadline = DispatchWorkItem { kill(identifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: deadline)
    process.waitUntilExit()
    deadline.cancel()
    let isExit = process.terminationReason == .exit
    return Run(
      status: isExit ? process.terminationStatus : -process.terminationStatus,
      output: try Array(Data(contentsOf: URL(fileURLWithPath: output))),
      errorOutput: try String(contentsOfFile: errorOutput, encoding: .utf8))
  }
}

/// A folder that goes away with its owner.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "accessoryctl-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String, _ text: some StringProtocol) throws -> String { try file(name, Array(text.utf8)) }

  /// Writes a file and answers its path.
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = path + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }
}
