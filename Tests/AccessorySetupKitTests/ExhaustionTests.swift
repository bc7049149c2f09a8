// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import SessionSupport
import Testing

/// An app whose table of descriptors is full.
@Suite(.timeLimit(.minutes(30))) struct ExhaustionTests {
  private static let line =
    "150: this program has no file descriptor free; close what it does not need, or raise LimitNOFILE of its unit, and "
    + "try again\n"

  @Test func `calls fail with connectionFailed, and say that no descriptor is free`() throws {
    let agent = SocketAgent(
      accessories: [SocketAgent.accessory("1")],
      ["Connect": { $0.send(SocketAgent.reply(), descriptor: 0) }])
    defer { agent.stop() }
    let (status, text) = try run(["exhausted"], agent)
    #expect(status == 0)
    let line = Self.line
    #expect(text == line + line)
  }

  @Test func `a session that no descriptor is free for is activated as soon as one is`() throws {
    let agent = SocketAgent()
    defer { agent.stop() }
    let (status, text) = try run(["exhausted", "first"], agent)
    #expect(status == 0)
    #expect(text == Self.line + "event 10\n")
  }

  /// Runs session-soak with few descriptors, and returns its status and what it prints.
  private func run(_ arguments: [String], _ agent: SocketAgent) throws -> (Int32, String) {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("session-soak")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "ulimit -n 64; exec \"$0\" \"$@\"", program.path] + arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["ACCESSORYD_SOCKET": agent.path]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
