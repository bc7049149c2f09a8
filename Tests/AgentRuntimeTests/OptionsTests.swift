// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Testing

@testable import AgentRuntime

@Suite("The agent's command line", .serialized)
struct OptionsTests {
  private func read(_ words: String...) throws(UsageProblem) -> Options.Request {
    try Options.read(["accessoryd"] + words)
  }

  @Test("Only the manifest must be given")
  func defaults() throws {
    #expect(try read("--manifest", "m") == .run(Options(manifest: "m")))
    #expect(Options(manifest: "m").socket == "/run/accessoryd/io.accessoryd")
  }

  @Test("Everything that is given counts")
  func everything() throws {
    let request = try read(
      "--manifest=m", "--socket", "s", "--state", "t", "--radio=h4:c", "--log-level", "debug")
    var options = Options(manifest: "m")
    (options.socket, options.state, options.radio, options.logLevel) = ("s", "t", "h4:c", .debug)
    #expect(request == .run(options))
    #expect(try read("--help") == .help)
    #expect(try read("--version") == .version)
  }

  @Test("Each mistake is its own problem")
  func problems() {
    #expect(throws: UsageProblem.noManifest) { try read() }
    #expect(throws: UsageProblem.word("m")) { try read("m") }
    #expect(throws: UsageProblem.noSocket) { try read("--manifest=m", "--socket=") }
    #expect(throws: UsageProblem.noState) { try read("--manifest=m", "--state=") }
    #expect(throws: UsageProblem.radio("x")) { try read("--manifest=m", "--radio=x") }
    #expect(throws: UsageProblem.logLevel("loud")) { try read("--manifest=m", "--log-level=loud") }
    #expect(throws: UsageProblem.line(.withoutValue("--manifest"))) { try read("--manifest") }
  }
}
