// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Agent
import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Testing
import Varlink
import VirtualRadio

@Suite("Watch streams")
struct WatchTests {
  @Test("A watch begins with its cursor, then the present devices, then events")
  func begins() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1), .arriving(2, second: 4)], after: 3000)
    let client = try #require(harness.connect())
    let first = harness.call("Watch", by: client, more: true)
    #expect(first.count == 2)
    #expect(first[0].text("epoch") == "00000000000000010000000000000002")
    #expect(first[0].integer("sequence") == 1)
    #expect(first[0]["isReset"] == nil)
    #expect(first[1].object("present") != nil)
    harness.run(milliseconds: 3000)
    let events = client.events
    #expect(events.map { $0.integer("sequence") } == [1])
    #expect(events.map { $0.text("event") } == ["found"])
    #expect(events.map { $0.text("item") } == ["bulb"])
  }

  @Test("A watch that resumes at a cursor misses and repeats no event")
  func resumes() throws {
    let harness = AgentHarness(.lights, scene: (1...30).map { .arriving($0, second: Int64($0)) })
    let first = try #require(harness.connect())
    harness.call("Watch", by: first, more: true)
    harness.run(milliseconds: 10_500)
    harness.hangUp(first)
    let epoch = try #require(first.replies.first?.text("epoch"))
    let next = try #require(first.events.last?.integer("sequence")) + 1
    harness.run(milliseconds: 10_000)
    let second = try #require(harness.connect())
    let replies = harness.call("Watch", by: second, more: true) { json in
      json.member("epoch", epoch)
      json.member("sequence", next)
    }
    #expect(replies.first?["isReset"] == nil)
    #expect(!replies.contains { $0["present"] != nil })
    harness.run(milliseconds: 12_000)
    let sequences = (first.events + second.events).compactMap { $0.integer("sequence") }
    #expect(sequences == Array(0..<Int64(sequences.count)))
    #expect(sequences.count == 30)
  }

  @Test(
    "A cursor of another run or from the future is reset, and the present devices are listed",
    arguments: [
      ("ffffffffffffffffffffffffffffffff", 0), ("00000000000000010000000000000002", 1_000_000), ("?", 0),
    ])
  func resets(epoch: String, sequence: Int) throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], after: 2000)
    let client = try #require(harness.connect())
    let replies = harness.call("Watch", by: client, more: true) { json in
      json.member("epoch", epoch)
      json.member("sequence", sequence)
    }
    #expect(replies.first?["isReset"] == .bool(true))
    #expect(replies.count == 2 && replies[1].object("present") != nil)
  }

  @Test("A cursor is an epoch and a sequence, both or neither")
  func halfCursor() throws {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect())
    let epoch = harness.call("Watch", by: client, more: true) { $0.member("sequence", 1) }
    #expect(epoch.first?.text("parameter") == "epoch")
    let sequence = harness.call("Watch", by: client, more: true) { $0.member("epoch", "00") }
    #expect(sequence.first?.text("parameter") == "sequence")
    let negative = harness.call("Watch", by: client, more: true) { json in
      json.member("epoch", "00")
      json.member("sequence", -1)
    }
    #expect(negative.first?.text("parameter") == "sequence")
  }

  @Test("A slow watcher learns exactly how many events it missed; another one misses none")
  func slow() throws {
    let manifest = GatewayManifest.lights.with { manifest in
      manifest.gateway.capacities.events = 64
      manifest.gateway.changedIntervalMilliseconds = 100
    }
    let harness = AgentHarness(manifest, scene: (1...40).map { .blinking($0) })
    let slow = try #require(harness.connect())
    let fast = try #require(harness.connect())
    harness.call("Watch", by: slow, more: true)
    harness.call("Watch", by: fast, more: true)
    slow.readableByteCount = 0
    harness.run(milliseconds: 20_000)
    slow.readableByteCount = .max
    harness.run(milliseconds: 1000)
    #expect(fast.missed == 0)
    #expect(slow.missed > 0)
    let produced = try #require(fast.events.last?.integer("sequence")) + 1
    #expect(slow.events.last?.integer("sequence") == produced - 1)
    #expect(Int64(slow.events.count) + slow.missed == produced)
    #expect(Int64(fast.events.count) == produced)
    #expect(harness.agent.streamCounters.eventsMissed == UInt64(slow.missed))
  }

  @Test("Devices are lost three seconds after the radio disappears, and found again when it is back")
  func radioDown() throws {
    var script = ControllerScript()
    let time = Instant(microseconds: 4_000_000)
    script.faults = [ControllerFault(.time(time), .unplug(milliseconds: 10_000))]
    let harness = AgentHarness(.lights, scene: [.bulb(1)], script: script)
    let client = try #require(harness.connect())
    harness.call("Watch", by: client, more: true)
    harness.run(milliseconds: 6900)
    #expect(client.turns == ["found"])
    #expect(harness.agent.radioState == .absent)
    harness.run(milliseconds: 200)
    #expect(client.turns == ["found", "lost"])
    #expect(client.events.last?.text("reason") == "radioDown")
    harness.run(milliseconds: 10_000)
    #expect(harness.agent.radioState == .on)
    #expect(client.turns == ["found", "lost", "found"])
    #expect(harness.notices.count { $0 == .radioGivenUp } == 1)
  }

  @Test("What a radio finds that takes no commands any more is lost when it disappears, too")
  func radioDownTwice() {
    func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }
    var absence = RadioAbsence(since: at(0))
    absence.follow(.recovering, at: at(0))
    let isLost = absence.isOver(at: at(3))
    absence.noteHeard()
    absence.follow(.recovering, at: at(10))
    #expect(isLost && absence.deadline == nil)
    absence.follow(.absent, at: at(20))
    #expect(absence.deadline == at(23))
    let isLostAgain = absence.isOver(at: at(23))
    absence.follow(.absent, at: at(30))
    #expect(isLostAgain && absence.deadline == nil)
  }

  @Test("No device is lost when the radio is back within three seconds")
  func radioFlickers() throws {
    var script = ControllerScript()
    let time = Instant(microseconds: 4_000_000)
    script.faults = [ControllerFault(.time(time), .unplug(milliseconds: 2000))]
    let harness = AgentHarness(.lights, scene: [.bulb(1)], script: script)
    let client = try #require(harness.connect())
    harness.call("Watch", by: client, more: true)
    harness.run(milliseconds: 15_000)
    #expect(harness.agent.radioState == .on)
    #expect(client.turns == ["found"])
  }
}

extension HarnessClient {
  var events: [JSONObject] { replies.compactMap { $0.object("event") } }
  /// The found and lost events, without changes.
  var turns: [String] { events.compactMap { $0.text("event") }.filter { $0 != "changed" } }
  var missed: Int64 { replies.reduce(0) { $0 + ($1.integer("missed") ?? 0) } }
}

extension SceneDevice {
  /// A bulb that is switched on at a time and stays on.
  static func arriving(_ number: UInt64, second: Int64) -> SceneDevice {
    var device = bulb(number)
    device.presence = [.seconds(second, 1_000_000)]
    return device
  }

  /// A bulb whose payload changes five times a second, and is each time one that it did not send for long.
  static func blinking(_ number: UInt64) -> SceneDevice {
    var device = bulb(number)
    let payloads: [AdvertisingPayload] = (0..<100).map { state in
      AdvertisingPayload().manufacturerData(0x0EEE, [state, UInt8(truncatingIfNeeded: number)])
    }
    device.payloads = PayloadScript(cycle: payloads, turnMilliseconds: 200)
    return device
  }
}
