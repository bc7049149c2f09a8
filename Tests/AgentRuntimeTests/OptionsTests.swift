// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import Testing

@testable import AgentRuntime

@Suite("The agent's command line", .serialized)
struct OptionsTests {
  private func read(_ arguments: String...) throws(UsageError) -> Options.Request {
    try Options.read(["accessoryd"] + arguments)
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
    #expect(throws: UsageError.noManifest) { try read() }
    #expect(throws: UsageError.unexpectedArgument("m")) { try read("m") }
    #expect(throws: UsageError.noSocket) { try read("--manifest=m", "--socket=") }
    #expect(throws: UsageError.noState) { try read("--manifest=m", "--state=") }
    #expect(throws: UsageError.radio("x")) { try read("--manifest=m", "--radio=x") }
    #expect(throws: UsageError.logLevel("loud")) { try read("--manifest=m", "--log-level=loud") }
    #expect(throws: UsageError.line(.withoutValue("--manifest"))) { try read("--manifest") }
  }
}
