// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import Interfaces
import JSON
import Testing
import Varlink
import VarlinkClient
import VirtualRadio

@Suite("A bridge's connections to the agent")
struct BridgeClientTests {
  private static let first = BridgeCallID(1)
  private static let second = BridgeCallID(2)

  @Test("A kept call is made again after 0.2, 0.4 … 5 s, and the absence is said once")
  func pauses() {
    var client = BridgeClient()
    #expect(
      client.step(.begin(Self.first, .kept(OperatorMethodName.list)), at: .zero) == [.open(Self.first)])
    var now = Duration.zero
    var pauses: [Duration] = []
    var said: [BridgeClient.Effect] = []
    for _ in 0..<8 {
      said += client.step(.ended(Self.first, "there is no agent"), at: now)
      guard let due = client.nextDeadline else { return record("nothing is due") }
      #expect(client.step(.timePassed, at: due - .milliseconds(1)) == [])
      #expect(client.step(.timePassed, at: due) == [.open(Self.first)])
      pauses.append(due - now)
      now = due
    }
    #expect(pauses == [200, 400, 800, 1600, 3200, 5000, 5000, 5000].map { .milliseconds($0) })
    #expect(said == [.isAway("there is no agent")])
    _ = client.step(.opened(Self.first), at: now)
    let reply = client.step(
      .received(Self.first, Message.reply(continues: true) { $0.member("isSynced", true) }), at: now)
    #expect(reply.first == .isThere && reply.count == 2)
    #expect(client.step(.ended(Self.first, "gone"), at: now) == [.isAway("gone")])
    #expect(client.nextDeadline == now + .milliseconds(200))
  }

  @Test("Kept calls that end together are made again together")
  func together() {
    var client = BridgeClient()
    for id in [Self.first, Self.second] {
      _ = client.step(.begin(id, .kept(OperatorMethodName.list)), at: .zero)
      _ = client.step(.opened(id), at: .zero)
    }
    #expect(client.step(.ended(Self.first, "gone"), at: .zero) == [.isAway("gone")])
    #expect(client.step(.ended(Self.second, "gone"), at: .zero) == [])
    let again = client.step(.timePassed, at: .milliseconds(200))
    #expect(again == [.open(Self.first), .open(Self.second)])
  }

  @Test(
    "A refusal is a sentence",
    arguments: [
      ("org.varlink.service.InvalidParameter", "the agent does not take this displayName"),
      ("io.accessoryd.Gateway.DeviceNotInSight", "the device is not heard now"),
      ("org.varlink.service.PermissionDenied", "the manifest's bridge section does not allow it"),
      ("io.accessoryd.Operator.Other", "Other"),
    ])
  func refusals(error: String, sentence: String) {
    let bytes = Array(Message.error(error) { $0.member("parameter", "displayName") }.dropLast())
    let reply = ReceivedReply(reading: bytes.span)
    #expect(reply?.refusal == sentence)
  }

  @Test("A refusal of a kept call is delivered, and asked about again after 5 s")
  func refusal() {
    var client = BridgeClient()
    _ = client.step(.begin(Self.first, .kept(GatewayMethodName.watchReports)), at: .zero)
    _ = client.step(.opened(Self.first), at: .zero)
    let refusal = Message.error(ServiceError.permissionDenied())
    let effects = client.step(.received(Self.first, refusal), at: .zero)
    #expect(effects.count == 3 && effects[0] == .isThere && effects[2] == .close(Self.first))
    #expect(client.nextDeadline == .seconds(5))
  }

  @Test("The only reply to a kept call leaves its connection open, and it can be made again")
  func besides() {
    var client = BridgeClient()
    _ = client.step(.begin(Self.first, .kept(GatewayMethodName.watchReports)), at: .zero)
    _ = client.step(.opened(Self.first), at: .zero)
    let effects = client.step(.received(Self.first, Message.reply { $0.member("epoch", "1") }), at: .zero)
    #expect(!effects.contains(.close(Self.first)) && client.nextDeadline == nil)
    #expect(client.step(.renew(Self.first), at: .zero) == [.close(Self.first)])
    #expect(client.step(.timePassed, at: .seconds(1)) == [.open(Self.first)])
  }

  @Test("A call that is made once ends with its reply, its limit, or the agent")
  func once() {
    func begun() -> BridgeClient {
      var client = BridgeClient()
      _ = client.step(
        .begin(Self.first, .once(GatewayMethodName.status, within: .seconds(10))), at: .zero)
      _ = client.step(.opened(Self.first), at: .zero)
      return client
    }
    var answered = begun()
    let effects = answered.step(.received(Self.first, Message.reply()), at: .zero)
    #expect(effects.last == .close(Self.first) && answered.nextDeadline == nil)
    var late = begun()
    #expect(
      late.step(.timePassed, at: .seconds(10)) == [.close(Self.first), .failed(Self.first, .late)])
    var away = begun()
    #expect(away.step(.ended(Self.first, "gone"), at: .zero) == [.failed(Self.first, .away("gone"))])
    var broken = begun()
    let end = broken.step(.received(Self.first, Array("no JSON\0".utf8)), at: .zero)
    guard end.count == 2, end[0] == .close(Self.first), case .failed(Self.first, .away) = end[1] else {
      return record("\(end)")
    }
  }

  @Test("Events come once each, in order, from an agent that ends at every byte", arguments: 0..<500)
  func events(seed: UInt64) {
    var world = EventWorld(seed: seed)
    world.run()
    #expect(world.faults == [], "seed \(seed)")
    #expect(world.deliveredCount > 0)
  }
}

private func record(_ text: String) { Issue.record("\(text)") }

/// An agent that numbers events, and ends at any byte; and a bridge that watches them.
private struct EventWorld {
  private static let call = BridgeCallID(1)

  private var dice: SeededGenerator
  private var client = BridgeClient()
  private var now = Duration.zero
  /// The agent's run, and how many events it has produced. It keeps the last eight.
  private var epoch = 1
  private var produced: UInt64 = 0
  private static let kept: UInt64 = 8
  /// What the agent has written and the bridge not received; nil without a connection.
  private var wire: [UInt8]?
  private var nextToWrite: UInt64 = 0
  private var call: [UInt8] = []
  /// What the bridge is to be delivered next, in which run.
  private var expected: (epoch: Int, sequence: UInt64)?
  private(set) var faults: [String] = []
  private(set) var deliveredCount = 0

  init(seed: UInt64) { dice = SeededGenerator(seed: seed) }

  mutating func run() {
    performEffects(client.step(.begin(Self.call, .events(from: nil)), at: now))
    for _ in 0..<400 {
      switch dice.number(below: 12) {
      case 0...4: produce()
      case 5: end(isNew: dice.number(below: 3) == 0)
      case 6: pass(.milliseconds(dice.number(below: 6000)))
      default: receive(1 + dice.number(below: 40))
      }
    }
    produce()
    while wire == nil { pass(.seconds(5)) }
    receive(.max)
    produce()
    receive(.max)
    if expected.map({ $0.epoch != epoch || $0.sequence != produced }) ?? true {
      faults.append("\(String(describing: expected)) is not \(epoch) and \(produced)")
    }
  }

  private mutating func produce() {
    produced += 1
    write()
  }

  /// The agent ends, or only the connection does.
  private mutating func end(isNew: Bool) {
    if isNew { (epoch, produced) = (epoch + 1, 0) }
    guard wire != nil else { return }
    wire = nil
    performEffects(client.step(.ended(Self.call, "ended"), at: now))
  }

  private mutating func pass(_ span: Duration) {
    now += span
    performEffects(client.step(.timePassed, at: now))
  }

  private mutating func receive(_ count: Int) {
    guard let wire, !wire.isEmpty else { return }
    let part = Array(wire.prefix(count))
    self.wire?.removeFirst(part.count)
    performEffects(client.step(.received(Self.call, part), at: now))
  }

  private mutating func performEffects(_ effects: [BridgeClient.Effect]) {
    for effect in effects {
      switch effect {
      case .open:
        wire = []
        performEffects(client.step(.opened(Self.call), at: now))
      case .send(_, let message): answer(message)
      case .close: wire = nil
      case .reply(_, let reply): deliver(reply)
      case .isThere, .isAway: break
      case .failed: faults.append("a kept call has failed")
      }
    }
    if let expected, client.cursor(of: Self.call)?.sequence != expected.sequence {
      faults.append("the cursor is another")
    }
  }

  /// Greets, and writes the events from the cursor of the call on.
  private mutating func answer(_ message: [UInt8]) {
    let text = Array(message.dropLast())
    guard case .object(let object)? = try? JSONReader.read(text.span),
      case .object(let parameters)? = object["parameters"]
    else { return faults.append("a call is no call") }
    let line = JSONObjectReader(parameters)
    let sequence: UInt64? = try? line.integerIfPresent("sequence")
    let hasCursor = (try? line.stringIfPresent("epoch")) == "\(epoch)"
    let (epoch, produced) = (epoch, produced)
    wire? += Message.reply(continues: true) { json in
      json.member("epoch", "\(epoch)")
      json.member("sequence", produced)
    }
    nextToWrite = hasCursor ? sequence ?? produced : produced
    write()
  }

  private mutating func write() {
    guard wire != nil else { return }
    while nextToWrite < produced {
      let oldest = produced > Self.kept ? produced - Self.kept : 0
      if nextToWrite < oldest {
        let missed = oldest - nextToWrite
        wire? += Message.reply(continues: true) { $0.member("missed", missed) }
        nextToWrite = oldest
      }
      let sequence = nextToWrite
      wire? += Message.reply(continues: true) { json in
        json.object("event") { $0.member("sequence", sequence) }
      }
      nextToWrite += 1
    }
  }

  private mutating func deliver(_ reply: ReceivedReply) {
    let line = JSONObjectReader(reply.parameters)
    let sequence: UInt64? = try? line.integerIfPresent("sequence")
    let missed: UInt64? = try? line.integerIfPresent("missed")
    if let name = try? line.stringIfPresent("epoch"), let run = Int(name), let sequence {
      if expected?.epoch != run { expected = (run, sequence) }
    } else if let missed {
      expected?.sequence += missed
    } else if let event = try? line.objectIfPresent("event") {
      let number: UInt64? = try? event.integerIfPresent("sequence")
      if number != expected?.sequence {
        faults.append("\(String(describing: number)) came, not \(String(describing: expected))")
      }
      expected?.sequence += 1
      deliveredCount += 1
    }
  }
}
