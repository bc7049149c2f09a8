// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing

/// Programs at the socket, polite and rude.
@Suite("Programs at the agent's socket")
struct ClientTests {
  private static let question = #"{"method":"org.varlink.service.GetInfo"}"#
  private static let answer = #""product":"accessoryd""#

  @Test("Who says that nothing more comes still gets the answer, and then the end")
  func halfClose() throws {
    let agent = try RunningAgent(Folder())
    let client = try TestClient(agent.socket)
    try client.send(Self.question + "\0")
    client.endOutput()
    #expect(try client.message()?.contains(Self.answer) == true)
    #expect(try client.message() == nil)
    #expect(agent.end() == 0)
  }

  @Test("Calls may be cut anywhere, and come many at once")
  func pieces() throws {
    let agent = try RunningAgent(Folder())
    let client = try TestClient(agent.socket)
    try client.send(String(Self.question.prefix(9)))
    try client.send(Self.question.dropFirst(9) + "\0")
    #expect(try client.message()?.contains(Self.answer) == true)
    try client.send(String(repeating: Self.question + "\0", count: 1000))
    for _ in 0..<1000 { #expect(try client.message()?.contains(Self.answer) == true) }
    #expect(agent.end() == 0)
  }

  @Test(
    "A client that breaks the protocol, hangs up inside a call, or sends too long a message harms no other client"
  )
  func rude() throws {
    let agent = try RunningAgent(Folder())
    let polite = try TestClient(agent.socket)
    let garbage = try TestClient(agent.socket)
    try garbage.send("no JSON\0")
    #expect(try garbage.message()?.contains("\"notJSON\"") == true)
    #expect(try garbage.message() == nil)
    let endless = try TestClient(agent.socket)
    endless.offer(String(repeating: "x", count: 20_000))
    #expect(try endless.message()?.contains("\"oversized\"") == true)
    #expect(try endless.message() == nil)
    for _ in 0..<100 {
      let gone = try TestClient(agent.socket)
      // On a busy machine the agent still has many of them, and turns this one away.
      gone.offer(String(Self.question.prefix(12)))
    }
    #expect(try polite.call(Self.question)?.contains(Self.answer) == true)
    #expect(agent.end() == 0)
  }

  @Test("At SIGTERM an app receives how its open picker ends, before its connection ends")
  func openPicker() throws {
    let folder = try Folder()
    let manifest = Folder.manifest.replacingOccurrences(of: "\"daemon\"", with: "\"\(NSUserName())\"")
    _ = try folder.file("manifest.toml", manifest)
    let agent = try RunningAgent(folder)
    let stream = try TestClient(agent.socket)
    let activation = #"{"method":"io.accessoryd.Session.Activate","parameters":{},"more":true}"#
    let greeting = try #require(try stream.call(activation))
    let token = try #require(greeting.firstMatch(of: /"session":"([0-9a-f]{32})"/)?.1)
    let caller = try TestClient(agent.socket)
    let call = #"{"method":"io.accessoryd.Session.ShowPicker","parameters":{"session":"\#(token)"}}"#
    #expect(try caller.call(call)?.contains("picker") == true)
    agent.program.send(SIGTERM)
    var events: [String] = []
    while let message = try stream.message() {
      if let event = message.firstMatch(of: /"event":"(picker[A-Za-z]+)"/)?.1 { events.append(String(event)) }
      if message.contains("pickerFinished") { #expect(message.contains(#""code":150"#)) }
    }
    #expect(events == ["pickerDidPresent", "pickerDidDismiss", "pickerFinished"])
    #expect(agent.program.wait() == 0)
  }

  @Test("A client that hangs up leaves at once, and its place is another's")
  func places() throws {
    let agent = try RunningAgent(Folder())
    for _ in 0..<200 {
      let client = try TestClient(agent.socket)
      #expect(try client.call(Self.question)?.contains(Self.answer) == true)
    }
    try agent.manager.expect("no clients") { $0.contains(", 0 clients") }
    #expect(agent.end() == 0)
  }

  @Test("What waits for clients is sent before the agent ends")
  func lastWords() throws {
    let agent = try RunningAgent(Folder())
    let client = try TestClient(agent.socket)
    #expect(try client.call(Self.question) != nil)
    #expect(agent.end() == 0)
    #expect(try client.message() == nil)
  }
}
