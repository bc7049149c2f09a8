// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import Foundation
import SessionSupport
import Testing

/// Thousands of sessions in one process leave nothing.
@Suite(.timeLimit(.minutes(30))) struct LeakTests {
  /// Runs session-soak, and returns the descriptors and the resident kB of each report.
  private func soak(_ arguments: [String]) throws -> [[Int]] {
    // The program has one session at a time.
    let agent = SocketAgent(
      accessories: [SocketAgent.accessory("1")], ["ShowPicker": { SocketAgent.presentPicker($0) }])
    defer { agent.stop() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("session-soak")
    process.arguments = arguments
    // Built with AddressSanitizer, the program also looks for leaks at its end; the runner of the tests has some.
    process.environment = ProcessInfo.processInfo.environment.merging([
      "ACCESSORYD_SOCKET": agent.path, "ASAN_OPTIONS": "detect_leaks=1",
    ]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
  }

  @Test func `ten thousand sessions with a picker leave descriptors and memory as they were`() throws {
    // A sanitizer takes ten times as long, and keeps what was freed.
    let isSanitized = ProcessInfo.processInfo.environment["ACCESSORY_SANITIZE"] != nil
    let reports = try soak([isSanitized ? "1000" : "10000"])
    try #require(reports.count == 2 && reports.allSatisfy { $0.count == 2 })
    // The last session's sockets may still be closing.
    #expect(abs(reports[1][0] - reports[0][0]) <= 16, "\(reports)")
    #expect(isSanitized || reports[1][1] - reports[0][1] < 2048, "\(reports)")
  }

  @Test func `sessions that are kept are noticed`() throws {
    let reports = try soak(["2000", "leaking"])
    try #require(reports.count == 2 && reports.allSatisfy { $0.count == 2 })
    #expect(reports[1][1] - reports[0][1] > 2048, "\(reports)")
  }
}
