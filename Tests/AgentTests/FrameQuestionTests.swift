// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Agent
import Controller
import HCI
import JSON
import Manifest
import Testing
import Varlink
import VirtualRadio

@Suite("Questions about the frames of a device that alternates them")
struct FrameQuestionTests {
  @Test("Explain listens for the requested time, and sends every frame of a device that alternates them")
  func explainFrames() throws {
    var device = SceneDevice.bulb(1)
    device.scanResponse = nil
    let frames = [
      AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [1, 1]),
      AdvertisingPayload().flags(0x06).manufacturerData(0x004C, [2]),
    ]
    device.payloads = PayloadScript(cycle: frames, turnMilliseconds: 400)
    let harness = AgentHarness(.lights, scene: [device])
    harness.run(milliseconds: 1000)
    let client = try #require(harness.connect())
    let address = try #require(
      harness.call("Sightings", by: client, more: true)[0].object("device")?.text("address"))
    client.forgetReplies()
    harness.call("Explain", by: client, more: true) { json in
      json.member("device", address)
      json.member("seconds", 3)
    }
    harness.run(milliseconds: 2900)
    #expect(client.replies.isEmpty)
    harness.run(milliseconds: 200)
    #expect(client.replies.map { $0.object("device") != nil } == [true, false, false, false, false, false])
    let heard = client.replies.compactMap { $0.object("frame")?.text("data") }
    #expect(heard.sorted() == frames.map { Hex($0.bytes).text }.sorted())
    let explanation = try #require(client.replies[3].object("explanation"))
    #expect(explanation["isFound"] == .bool(true))
    #expect(explanation.integer("frames") == 2)

    let wrong = harness.call("Explain", by: client, more: true) { json in
      json.member("device", address)
      json.member("seconds", 4)
    }
    #expect(wrong.last?.text("parameter") == "seconds")
  }

  @Test("Explain says how often the item lost the device while it sent other frames")
  func lossesToOtherFrames() throws {
    var device = SceneDevice.bulb(1)
    device.scanResponse = nil
    device.payloads = PayloadScript(
      cycle: [AdvertisingPayload().manufacturerData(0x0EEE, [1]), AdvertisingPayload().flags(0x06)],
      turnMilliseconds: 15_000)
    let harness = AgentHarness(.lights, scene: [device, .bulb(2)])
    let client = try #require(harness.connect())
    func losses(of device: String) -> [Int64] {
      client.forgetReplies()
      harness.call("Explain", by: client, more: true) { $0.member("device", device) }
      return client.replies.compactMap { $0.object("explanation")?.integer("lossesToOtherFrames") }
    }
    harness.run(milliseconds: 20_000)
    #expect(losses(of: "C0:00:00:00:00:01") == [])
    harness.run(milliseconds: 60_000)
    #expect(losses(of: "C0:00:00:00:00:01").first == 2)
    #expect(losses(of: "C0:00:00:00:00:02") == [])
  }

  @Test(
    "Clauses that hold in different frames only are named with their frames", arguments: ["Explain", "Try"])
  func splitClauses(method: String) throws {
    var device = SceneDevice.bulb(1)
    device.payloads = PayloadScript(
      cycle: [AdvertisingPayload().manufacturerData(0x0EEE, [1]), AdvertisingPayload().name("Push")],
      turnMilliseconds: 500)
    device.scanResponse = nil
    let manifest = GatewayManifest.lights.with {
      $0.apps[0].items[0].descriptor.nameSubstring = Array("Push".utf8)
    }
    let harness = AgentHarness(manifest, scene: [device])
    harness.run(milliseconds: 3000)
    let client = try #require(harness.connect())
    harness.call(method, by: client, more: true) { json in
      if method == "Try" {
        json.member("item", manifest.apps[0].items[0].id)
      } else {
        json.member("device", "C0:00:00:00:00:01")
      }
      json.member("seconds", 2)
    }
    #expect(client.replies.isEmpty)
    harness.run(milliseconds: 2500)
    if method == "Try" {
      let why = client.replies.compactMap { $0.object("trial")?.text("why") }
      #expect(why.count == 1 && why[0].hasPrefix("each clause holds, but never all in one frame: company"))
    } else {
      let explanation = try #require(client.replies.compactMap { $0.object("explanation") }.first)
      let frames = explanation.objects("clauses").map { $0.integer("frame") }
      #expect(Set(frames) == [1, 2] && explanation.integer("frames") == 2)
    }
  }
}
