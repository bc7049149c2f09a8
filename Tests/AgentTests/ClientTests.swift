// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import HCI
import JSON
import Manifest
import Testing
import Varlink

@Suite("Which clients may connect, and how connections end")
struct ClientTests {
  @Test(
    "Operators are root and the group's members; apps may not call operators' methods; other users are refused"
  )
  func rights() throws {
    let harness = AgentHarness(.lights)
    let root = try #require(harness.connect(user: 0))
    #expect(harness.call("Status", by: root).first?.error == nil)
    let member = try #require(harness.connect(user: 4711, groups: [50]))
    #expect(harness.call("Status", by: member).first?.error == nil)
    let app = try #require(harness.connect(user: 1000))
    let refusal = try #require(harness.call("Status", by: app).first)
    #expect(refusal.error == "org.varlink.service.PermissionDenied")
    #expect(refusal.text("reason") == "user 1000 is no operator, and only operators may call this method")
    #expect(refusal.text("cure")?.contains("usermod -aG accessory NAME") == true)
    #expect(harness.connect(user: 1001) == nil)
    #expect(harness.connect(user: 65_534, groups: [50]) == nil)
    #expect(harness.notices.contains(.turnedAway(.unknownAccount, user: 1001)))
    #expect(harness.agent.counters.clients.permissionsDenied == 1)
    #expect(harness.agent.clientCount == 3)
  }

  /// A gateway with ten accounts that are apps.
  private func crowded() -> AgentHarness {
    var access = AccessList.operators
    for user in 1000..<1010 { access.appsOfUser[UInt32(user)] = ["lights"] }
    return AgentHarness(.lights, access: access)
  }

  @Test("A user has 16 connections, and the last 8 of all are for operators")
  func limits() {
    let harness = crowded()
    for user in 1000..<1003 {
      for _ in 0..<16 { #expect(harness.connect(user: UInt32(user)) != nil) }
      #expect(harness.connect(user: UInt32(user)) == nil)
    }
    for _ in 0..<8 { #expect(harness.connect(user: 1004) != nil) }
    #expect(harness.connect(user: 1005) == nil)
    #expect(harness.notices.last == .turnedAway(.full, user: 1005))
    for _ in 0..<8 { #expect(harness.connect(user: 0) != nil) }
    #expect(harness.agent.clientCount == 64)
  }

  @Test("However many users act as one app, the others keep their share of the connections")
  func shares() {
    var access = AccessList.operators
    for user in 1000..<1010 { access.appsOfUser[UInt32(user)] = ["lights"] }
    access.appsOfUser[2000] = ["garden"]
    let harness = AgentHarness(.lights, access: access)
    let connected = { (user: UInt32) in (0..<16).count { _ in harness.connect(user: user) != nil } }
    #expect((1000..<1010).reduce(0) { $0 + connected(UInt32($1)) } == 42)
    #expect(connected(2000) == 14)
    #expect(harness.notices.last == .turnedAway(.full, user: 2000))
  }

  @Test("An unknown account's first call is refused with a sentence, in one of 4 slots that each last 2 s")
  func unknownAccounts() throws {
    let harness = crowded()
    let clients = (0..<4).compactMap { _ in harness.connectTurnedAway(user: 4711) }
    #expect(clients.count == 4)
    #expect(harness.connectTurnedAway(user: 4711) == nil && harness.agent.clientCount == 0)
    let caller = try #require(clients.first)
    let calls = Message.call("org.varlink.service.GetInfo") + Message.call("io.accessoryd.Gateway.Status")
    harness.send(calls, by: caller)
    #expect(caller.replies.map(\.error) == ["org.varlink.service.PermissionDenied"] && caller.isClosed)
    #expect(
      caller.replies.first?.text("reason")
        == "user 4711 is no operator, and no app or bridge of the gateway's manifest belongs to this account")
    #expect(caller.replies.first?.text("cure")?.contains("`user` or `group` of an app") == true)
    #expect(harness.connectTurnedAway(user: 4711) != nil)
    harness.run(milliseconds: 1900)
    #expect(clients.dropFirst().allSatisfy { !$0.isClosed })
    harness.run(milliseconds: 200)
    #expect(clients.allSatisfy { $0.isClosed })
    #expect((0..<4).allSatisfy { _ in harness.connectTurnedAway(user: 4711) != nil })
  }

  @Test("An account of no app learns at Activate why it is refused and what to do, an operator's too")
  func activateWithoutApp() throws {
    let harness = crowded()
    let activation = Message.call("io.accessoryd.Session.Activate", more: true) { _ in }
    let unknown = try #require(harness.connectTurnedAway(user: 4711))
    harness.send(activation, by: unknown)
    let refusal = try #require(unknown.replies.first)
    #expect(refusal.error == "org.varlink.service.PermissionDenied" && unknown.isClosed)
    #expect(refusal.text("reason")?.isEmpty == false && refusal.text("cure")?.isEmpty == false)
    let root = try #require(harness.connect(user: 0))
    harness.send(activation, by: root)
    let failure = try #require(root.replies.first)
    #expect(failure.error == "io.accessoryd.Session.ActivationFailed" && failure.integer("code") == 100)
    #expect(failure.text("cure")?.contains("user or group in the gateway's manifest") == true)
  }

  @Test(
    "When all connections are taken, operators can make calls that end, and every caller learns the limit")
  func reservedPlaces() throws {
    let harness = crowded()
    for user in [0, 1000, 1001, 1002] as [UInt32] {
      for _ in 0..<16 { _ = harness.connect(user: user, groups: user == 0 ? [] : [50]) }
    }
    #expect(harness.agent.clientCount == 64)
    let refused = "io.accessoryd.Gateway.TooManyConnections"
    let member = try #require(harness.connect(user: 4711, groups: [50]))
    #expect(harness.call("Status", by: member).first?.error == nil)
    let watch = harness.call("Watch", by: member, more: true).first
    #expect(watch?.error == refused && watch?.text("of") == "all" && watch?.integer("limit") == 64)
    // A call that lasts gives its place back.
    #expect(member.isClosed)
    // A member of the group holds both places; root has one of its own.
    let again = try #require(harness.connect(user: 4711, groups: [50]))
    #expect(harness.call("Metrics", by: again).first?.error == nil)
    _ = try #require(harness.connect(user: 4711, groups: [50]))
    #expect(harness.connect(user: 4711, groups: [50]) == nil)
    let root = try #require(harness.connect(user: 0))
    #expect(harness.call("Status", by: root).first?.error == nil)
    #expect(harness.connect(user: 0) == nil)
    let app = try #require(harness.connectTurnedAway(user: 1005))
    #expect(harness.call("Status", by: app).first?.error == refused && app.isClosed)
    // A reserved place ends after 30 s.
    harness.run(milliseconds: 30_000)
    #expect(again.isClosed && root.isClosed && harness.agent.clientCount == 64)
    #expect(harness.connect(user: 4711, groups: [50]) != nil)
  }

  @Test("A user with 16 connections learns the limit; an operator can still make calls that end")
  func userLimit() throws {
    let harness = crowded()
    for user in [0, 1000] as [UInt32] { for _ in 0..<16 { _ = harness.connect(user: user) } }
    let app = try #require(harness.connectTurnedAway(user: 1000))
    let refusal = harness.call("Status", by: app).first
    #expect(refusal?.text("of") == "user" && refusal?.integer("limit") == 16)
    let root = try #require(harness.connect(user: 0))
    #expect(harness.call("Status", by: root).first?.error == nil)
  }

  @Test("A slot is free after its client has disconnected, and the old id is invalid")
  func reuse() throws {
    let harness = AgentHarness(.lights)
    let first = try #require(harness.connect())
    harness.hangUp(first)
    let second = try #require(harness.connect())
    #expect(first.id != second.id)
    #expect(harness.agent.receivableByteCount(harness.id(of: first)) == 0)
    harness.hangUp(first)
    #expect(harness.agent.clientCount == 1)
    #expect(harness.call("Status", by: second).count == 1)
  }

  @Test("A thousand calls at once get replies in order, 16 per turn")
  func pipelined() throws {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect())
    let calls = (0..<1000).flatMap { _ in Message.call("org.varlink.service.GetInfo") }
    harness.send(calls, by: client)
    #expect(client.replies.count == 1000)
    #expect(harness.agent.turnCount >= 1000 / 16)
  }

  @Test("A frame that is too long or not JSON ends the connection and is counted")
  func broken() throws {
    let harness = AgentHarness(.lights)
    let long = try #require(harness.connect())
    harness.send([UInt8](repeating: 0x20, count: 20_000), by: long)
    #expect(long.isClosed)
    let garbage = try #require(harness.connect())
    harness.send(Array("}{\0".utf8), by: garbage)
    #expect(garbage.isClosed)
    let deep = try #require(harness.connect())
    harness.send([UInt8](repeating: UInt8(ascii: "["), count: 1000) + [0], by: deep)
    #expect(deep.isClosed)
    #expect(harness.agent.counters.clients.closedForFrame == 1)
    #expect(harness.agent.counters.clients.closedForJSON == 2)
    #expect(harness.agent.clientCount == 0)
  }

  @Test("A closing connection gets the reason, with the limit if there is one")
  func closingError() throws {
    let harness = AgentHarness(.lights)
    let cases: [([UInt8], String, Int64?)] = [
      ([UInt8](repeating: 0x20, count: 20_000), "oversized", 16_384), (Array("}{\0".utf8), "notJSON", nil),
      (Array("[]\0".utf8), "notAnObject", nil),
      ([UInt8](repeating: UInt8(ascii: "["), count: 99) + [0], "tooDeep", 16),
      // Valid JSON that exceeds a limit.
      (Array("[\(String(repeating: "1,", count: 3000))1]\0".utf8), "tooManyValues", 2048),
      (Array("[1e999]\0".utf8), "numberOutOfRange", nil),
      (Array(#"{"method":"a","method":"b"}"#.utf8) + [0], "duplicateName", nil),
    ]
    for (bytes, reason, limit) in cases {
      let client = try #require(harness.connect())
      harness.send(bytes, by: client)
      #expect(client.isClosed)
      #expect(client.replies.map(\.error) == ["io.accessoryd.Gateway.MessageRefused"])
      #expect(client.replies.last?.text("reason") == reason)
      #expect(client.replies.last?.integer("limit") == limit)
    }
  }

  @Test("An unfinished frame is closed after 30 s")
  func half() throws {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect())
    harness.send(Array("{\"method\":".utf8), by: client)
    harness.run(milliseconds: 29_900)
    #expect(!client.isClosed)
    harness.run(milliseconds: 200)
    #expect(client.isClosed)
    #expect(client.replies.last?.text("reason") == "unfinished")
    #expect(harness.agent.counters.clients.closedOverdue == 1)
    #expect(harness.notices.last == .closed(.overdue, user: 0))
  }

  @Test("A client that ends its input gets its replies, and then the connection ends")
  func halfClosed() throws {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect())
    harness.send(Message.call("io.accessoryd.Gateway.Status"), by: client)
    harness.endInput(of: client)
    #expect(client.replies.count == 1)
    #expect(client.isClosed)
  }

  @Test("A client that never reads blocks no other client and uses only its buffer")
  func neverReads() throws {
    let harness = AgentHarness(.lights, scene: (1...40).map { .bulb($0) })
    let stalled = try #require(harness.connect())
    stalled.readableByteCount = 0
    let watcher = try #require(harness.connect())
    harness.call("Watch", by: watcher, more: true)
    harness.call("Watch", by: stalled, more: true)
    for _ in 0..<100 { harness.call("Status", by: stalled) }
    harness.run(milliseconds: 5000)
    #expect(harness.agent.sendableByteCount(harness.id(of: stalled)) <= 65_536)
    #expect(watcher.events.count { $0.text("event") == "found" } == 40)
    #expect(!watcher.replies.contains { $0["missed"] != nil })
  }
}
