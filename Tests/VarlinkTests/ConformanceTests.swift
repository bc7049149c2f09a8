// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The PyPI package `varlink`, an independent client, talks to the module through a pipe.
@Suite("Another implementation's client")
struct ConformanceTests {
  /// The Python that has the package; nil where none can be made.
  static let python: String? = {
    let script = Descriptions.folder.appendingPathComponent("../../../Scripts/steps/varlink-client")
      .standardized
      .path
    guard let run = try? output(of: script, []), run.status == 0 else { return nil }
    // pip may have had something to say first.
    return run.text.split(separator: "\n").last.map(String.init)
  }()

  /// It lies beside the program that runs the tests.
  private static let peer = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("varlink-peer").path

  private static func output(of program: String, _ arguments: [String]) throws -> (
    status: Int32, text: String
  ) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test(
    "It lists, introspects, calls and streams, and its parser takes the agent's definitions",
    .enabled(if: python != nil, "needs python3-venv and PyPI, see Scripts/steps/varlink-client"))
  func conforms() throws {
    let script = Descriptions.folder.appendingPathComponent("../conformance.py").path
    let python = try #require(Self.python)
    let run = try Self.output(of: python, [script, Self.peer, Descriptions.folder.path])
    #expect(run.status == 0 && run.text == "conforms\n", "\(run.text)")
  }
}
