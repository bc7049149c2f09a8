// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Testing
import Varlink

@Suite("Imports that operators begin", .overEveryTransport)
struct ImportStories {
  private func call(_ parameters: String, _ story: DeskStory, _ client: HarnessClient) -> String {
    let told = client.replies.count
    story.harness.send(Message.text("io.accessoryd.Operator.Import", parameters, more: false), by: client)
    return client.replies.dropFirst(told).map { $0.parameters.text("reason") ?? "taken" }.joined()
  }

  @Test("One that does not go on gives way to the next after 30 s, and is told so if it goes on after all")
  func idle() throws {
    let story = DeskStory(.lights { _ in }, scene: [])
    let first = try #require(story.harness.connect())
    let second = try #require(story.harness.connect())
    let begin = #""lines":[],"begins":true"#
    #expect(call(begin, story, first) == "taken")
    #expect(call(begin, story, second) == "another import is going on")
    story.run(seconds: 20)
    #expect(call(#""lines":[]"#, story, first) == "taken")
    story.run(seconds: 20)
    #expect(call(begin, story, second) == "another import is going on")
    story.run(seconds: 10)
    #expect(call(begin, story, second) == "taken")
    #expect(call(#""lines":[]"#, story, first) == "no import was begun on this connection")
  }
}
