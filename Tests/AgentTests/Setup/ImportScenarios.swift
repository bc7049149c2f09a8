// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import Testing
import Varlink

@Suite("Imports of operators", .overEveryTransport)
struct ImportScenarios {
  private func call(_ parameters: String, _ scenario: SetupScenario, _ client: HarnessClient) -> String {
    let replyCount = client.replies.count
    scenario.harness.send(Message.text("io.accessoryd.Operator.Import", parameters, more: false), by: client)
    return client.replies.dropFirst(replyCount).map { $0.parameters.text("reason") ?? "accepted" }.joined()
  }

  @Test("An idle import gives way to the next one after 30 s, and a late continuation is refused")
  func idle() throws {
    let scenario = SetupScenario(.lights { _ in }, scene: [])
    let first = try #require(scenario.harness.connect())
    let second = try #require(scenario.harness.connect())
    let begin = #""lines":[],"begins":true"#
    #expect(call(begin, scenario, first) == "accepted")
    #expect(call(begin, scenario, second) == "another import is going on")
    scenario.run(seconds: 20)
    #expect(call(#""lines":[]"#, scenario, first) == "accepted")
    scenario.run(seconds: 20)
    #expect(call(begin, scenario, second) == "another import is going on")
    scenario.run(seconds: 10)
    #expect(call(begin, scenario, second) == "accepted")
    #expect(call(#""lines":[]"#, scenario, first) == "no import was begun on this connection")
  }
}
