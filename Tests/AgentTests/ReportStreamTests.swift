// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import HCI
import Interfaces
import JSON
import Manifest
import Testing
import VirtualRadio

@Suite("Streams of raw reports")
struct ReportStreamTests {
  private static let room: [SceneDevice] = [.bulb(1), .bulb(2), .unknownDevice(3)]

  private func watch(
    _ harness: AgentHarness, forward: String? = nil, apps: [String]? = nil, batch: Int = 100
  ) throws -> ReportReaderModel {
    let client = try #require(harness.connect())
    let replies = harness.call("WatchReports", by: client) { json in
      json.member("forward", forward)
      json.member("apps", apps)
      json.member("batchMilliseconds", batch)
    }
    #expect(replies.count == 1 && replies[0].error == nil)
    return try #require(harness.reportReaders.last)
  }

  /// A gateway where an app has the bulb 1.
  private func gateway() -> (AgentHarness, SetupScenario, ScenarioApp) {
    let harness = AgentHarness(.lightsAndGarden, scene: Self.room, access: .twoApps)
    let scenario = SetupScenario(harness)
    let app = scenario.app()
    app.call("ShowPicker", wait: 1)
    scenario.watcher().choose(wait: 1)
    return (harness, scenario, app)
  }

  @Test("An operator has every report once, with its time, after the radio's state")
  func everything() throws {
    let harness = AgentHarness(.lights, scene: Self.room)
    let reader = try watch(harness)
    let client = try #require(harness.connect())
    func heard() -> Int64 { harness.call("Status", by: client).first?.integer("reports") ?? 0 }
    let before = heard()
    harness.run(milliseconds: 10_200)
    #expect(reader.radioStates.first == .recovering || reader.radioStates.first == .on)
    #expect(reader.addsUp)
    #expect(reader.messages.allSatisfy { $0.missed == 0 })
    // The last tenth of a second is in the batch that waits.
    let waiting = heard() - before - Int64(reader.reports.count)
    #expect((0...6).contains(waiting))
    #expect(reader.addresses.count == 3)
    #expect(reader.reports.contains { $0.record.flags.contains(.scanResponse) })
    let times = reader.reports.map(\.record.time)
    #expect(times == times.sorted() && (times.last ?? 0) > 9_800_000)
  }

  @Test("Only authorized accessories are forwarded as accessories, until they are removed")
  func accessories() throws {
    let (harness, scenario, app) = gateway()
    let reader = try watch(harness, forward: "accessories")
    harness.run(milliseconds: 3000)
    #expect(reader.addresses.count == 1)
    #expect(reader.reports.allSatisfy { $0.record.flags.contains(.isAccessory) })
    let removal = scenario.watcher().call("Remove", "\"accessory\":\"\(app.accessory)\"", wait: 1)
    #expect(removal.replies.last?.error == nil)
    let count = reader.reports.count
    harness.run(milliseconds: 3000)
    #expect(reader.reports.count == count)
  }

  @Test("Of the apps that the call names, and no others")
  func apps() throws {
    let (harness, _, _) = gateway()
    let garden = try watch(harness, forward: "accessories", apps: ["garden"])
    let lights = try watch(harness, forward: "accessories", apps: ["lights", "nonesuch"])
    harness.run(milliseconds: 2000)
    #expect(garden.reports.isEmpty && lights.addresses.count == 1)
  }

  @Test("Items forward the report that a device is found by, and none after it is lost")
  func items() throws {
    var visit = SceneDevice.bulb(1)
    visit.presence = [.seconds(2, 4)]
    let harness = AgentHarness(.lights, scene: [visit, .unknownDevice(2)])
    let reader = try watch(harness, forward: "items", batch: 0)
    harness.run(milliseconds: 30_000)
    #expect(reader.addresses.count == 1)
    let first = try #require(reader.reports.first)
    #expect((2_000_000...2_200_000).contains(first.record.time))
    #expect(!first.record.flags.contains(.scanResponse))
  }

  @Test("What a slow reader misses is counted, and what it has is in order")
  func slow() throws {
    let harness = AgentHarness(.lights, scene: Self.room)
    let quick = try watch(harness)
    let slow = try watch(harness)
    slow.messagesMax = 3
    for _ in 0..<20 {
      harness.run(milliseconds: 1000)
      slow.read()
      harness.agent.reportsWritable(slow.id)
    }
    harness.run(milliseconds: 300)
    #expect(slow.addsUp && quick.addsUp)
    #expect((slow.messages.last?.missed ?? 0) > 100)
    #expect(quick.messages.last?.missed == 0)
    let times = slow.reports.map(\.record.time)
    #expect(times == times.sorted())
    let passed = try #require(slow.messages.last?.passed)
    #expect(passed + 60 > UInt64(quick.reports.count))
  }

  @Test("A reader that takes nothing for 30 s loses its stream, and the others notice nothing")
  func stopped() throws {
    let harness = AgentHarness(.lights, scene: Self.room)
    let quick = try watch(harness)
    let stopped = try watch(harness)
    stopped.messagesMax = 1
    harness.run(milliseconds: 29_000)
    #expect(!stopped.isClosed)
    harness.run(milliseconds: 2500)
    #expect(stopped.isClosed && !quick.isClosed && quick.messages.last?.missed == 0)
    #expect(harness.notices.contains { if case .reportsCutOff = $0 { true } else { false } })
  }

  @Test("A reader that is gone ends its stream, and so does a client that leaves")
  func gone() throws {
    let harness = AgentHarness(.lights, scene: Self.room)
    let gone = try watch(harness)
    gone.isGone = true
    harness.run(milliseconds: 1000)
    #expect(gone.isClosed)
    let client = try #require(harness.connect())
    harness.call("WatchReports", by: client)
    let left = try #require(harness.reportReaders.last)
    harness.hangUp(client)
    #expect(left.isClosed)
    #expect(harness.agent.nextDeadline.map { $0 > harness.now } ?? true)
  }

  @Test("A batch leaves when its time is over, or with 64 reports")
  func batches() throws {
    let harness = AgentHarness(.lights, scene: (1...40).map { .bulb($0) })
    let reader = try watch(harness, batch: 1000)
    harness.run(milliseconds: 5000)
    let counts = reader.messages.compactMap {
      if case .reports(let reports) = $0.content { reports.count } else { nil }
    }
    #expect(counts.dropLast().allSatisfy { (64...89).contains($0) } && counts.count > 20)
    let patient = AgentHarness(.lights, scene: [.unknownDevice(1)])
    let seldom = try watch(patient, batch: 1000)
    patient.run(milliseconds: 10_000)
    #expect((8...12).contains(seldom.messages.count))
  }

  @Test("Each change of the radio is a message, after the reports before it")
  func radio() throws {
    let harness = AgentHarness(.lights, scene: Self.room, after: 1000)
    let reader = try watch(harness, batch: 1000)
    harness.run(milliseconds: 1500)
    harness.agent.radioVanished("it was pulled out", at: harness.now)
    harness.turn()
    #expect(reader.radioStates == [.on, .absent])
    #expect(reader.addsUp)
    guard case .radio? = reader.messages.last?.content else {
      Issue.record("the change is the last message")
      return
    }
  }

  @Test("There are eight streams; another is refused until one ends")
  func places() throws {
    let harness = AgentHarness(.lights, scene: [])
    for _ in 0..<8 { _ = try watch(harness) }
    let client = try #require(harness.connect())
    let refused = harness.call("WatchReports", by: client).first
    #expect(refused?.error == "io.accessoryd.Gateway.Busy" && refused?.integer("limit") == 8)
    harness.agent.reportsClosed(harness.reportReaders[3].id)
    harness.turn()
    #expect(harness.call("WatchReports", by: client).first?.error == nil)
  }

  @Test("Without a socket the call says so, and takes no place")
  func noSocket() throws {
    let harness = AgentHarness(.lights, scene: [])
    harness.canOpenReports = false
    let client = try #require(harness.connect())
    for _ in 0..<10 {
      let reply = harness.call("WatchReports", by: client).first
      #expect(reply?.error == "io.accessoryd.Gateway.SocketMissing")
      #expect(reply?.text("reason") == "no descriptor is free")
    }
  }

  @Test(
    "Parameters out of range are refused",
    arguments: [("forward", "some"), ("batchMilliseconds", "1001"), ("batchMilliseconds", "-1")])
  func parameters(name: String, value: String) throws {
    let harness = AgentHarness(.lights, scene: [])
    let client = try #require(harness.connect())
    let reply = harness.call("WatchReports", by: client) { json in
      if let number = Int(value) { json.member(name, number) } else { json.member(name, value) }
    }.first
    #expect(reply?.error == "org.varlink.service.InvalidParameter")
  }

  @Test("An app has no stream of reports")
  func app() throws {
    let harness = AgentHarness(.lightsAndGarden, scene: [], access: .twoApps)
    let client = try #require(harness.connect(user: 1000))
    let reply = harness.call("WatchReports", by: client).first
    #expect(reply?.error == "org.varlink.service.PermissionDenied")
  }

  @Test("A bridge has the reports that its table forwards, until a reload narrows it")
  func bridge() throws {
    var bridge = Bridge(name: "home", user: "home")
    (bridge.forward, bridge.apps) = (.items, ["lights"])
    var access = AccessList.twoApps
    access.bridgeOfUser = [1002: bridge]
    let harness = AgentHarness(.lightsAndGarden, scene: Self.room, access: access)
    let client = try #require(harness.connect(user: 1002))
    let refused = harness.call("WatchReports", by: client) { $0.member("forward", "everything") }.first
    #expect(refused?.error == "org.varlink.service.PermissionDenied")
    harness.call("WatchReports", by: client)
    let reader = try #require(harness.reportReaders.last)
    harness.run(milliseconds: 2000)
    #expect(reader.addresses.count == 2 && reader.addsUp)
    bridge.forward = .accessories
    access.bridgeOfUser = [1002: bridge]
    harness.reading = .accepted(
      AgentCore.Configuration(.lightsAndGarden, board: .attentive, access: access), radioSource: "h4:bench",
      warnings: [])
    let anna = try #require(harness.connect())
    harness.call("Reload", by: anna)
    harness.run(milliseconds: 300)
    let count = reader.reports.count
    harness.run(milliseconds: 2000)
    #expect(reader.reports.count == count && !reader.isClosed)
    #expect(harness.call("WatchReports", by: client).first?.error == nil)
    let third = harness.call("WatchReports", by: client).first
    #expect(third?.error == "io.accessoryd.Gateway.Busy" && third?.integer("limit") == 2)
  }

  @Test("Streams go on over a reload, with what they counted")
  func reload() throws {
    let harness = AgentHarness(.lights, scene: Self.room)
    let reader = try watch(harness, forward: "items")
    harness.run(milliseconds: 2000)
    harness.reading = .accepted(
      AgentCore.Configuration(
        GatewayManifest.lights.with { $0.apps[0].items.removeFirst() }, board: .attentive, access: .operators),
      radioSource: "h4:bench", warnings: [])
    let client = try #require(harness.connect())
    harness.call("Reload", by: client)
    harness.run(milliseconds: 300)
    let count = reader.reports.count
    harness.run(milliseconds: 2000)
    #expect(count > 0 && reader.reports.count == count && reader.addsUp)
  }
}
