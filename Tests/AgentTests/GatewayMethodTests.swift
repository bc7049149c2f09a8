// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import AdapterSupport
@testable import Agent
import Controller
import HCI
import JSON
import Manifest
import Testing
import Varlink
import VirtualRadio

@Suite("Methods of the gateway interface")
struct GatewayMethodTests {
  @Test("Status reports the state of the radio, the tables and the clients")
  func status() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1), .unknownDevice(2)], after: 3000)
    let client = try #require(harness.connect())
    let reply = try #require(harness.call("Status", by: client).first)
    let radio = try #require(reply.object("radio"))
    #expect(radio.text("state") == "on")
    #expect(radio.text("source") == "h4:bench")
    #expect(radio["hasExtendedAdvertising"] == .bool(true))
    #expect(reply["problems"] == .array([]))
    #expect(reply.integer("devices") == 2)
    #expect(reply.integer("found") == 1)
    #expect(reply.integer("items") == 2)
    #expect(reply.integer("connections") == 1)
    #expect((reply.integer("reports") ?? 0) > 5)
  }

  @Test("Status warns of each item that is found by its network while the gateway looks for none")
  func networksMissing() throws {
    let manifest = GatewayManifest.lights.with { manifest in
      manifest.apps[0].supports = [.bluetooth, .wifi]
      manifest.apps[0].items[1].descriptor.ssidPrefix = [0x4C]
      for number in 0..<40 {
        var item = DisplayItem(id: "network\(number)", name: "N")
        item.descriptor.ssid = [0x4C]
        manifest.apps[0].items.append(item)
      }
    }
    let harness = AgentHarness(manifest, scene: [.unknownDevice(2)], after: 3000)
    let client = try #require(harness.connect())
    let reply = try #require(harness.call("Status", by: client).first)
    #expect(reply["problems"] == .array([]))
    let warnings = reply.parameters.objects("warnings")
    #expect(warnings.count == 33)
    #expect(warnings[0].text("kind") == "networksMissing")
    // The item with Bluetooth clauses beside its network is found by those.
    #expect(warnings[0].text("sentence")?.hasPrefix("lights/network0: never matches: ") == true)
    #expect(warnings[32].text("kind") == "moreMissing")
    #expect(warnings[32].text("sentence")?.hasPrefix("8 more") == true)
  }

  @Test("Status warns of an item with Wi-Fi Aware properties alone, and says what a gateway would need")
  func wifiAwareOnly() throws {
    let manifest = GatewayManifest.lights.with { manifest in
      let service = WiFiAwareService(serviceName: [0x4C])
      manifest.apps[0].items[0].descriptor.wifiAware = service
      manifest.apps[0].items[1].descriptor = DiscoveryDescriptor()
      manifest.apps[0].items[1].descriptor.wifiAware = service
    }
    let harness = AgentHarness(manifest, scene: [])
    let client = try #require(harness.connect())
    let reply = try #require(harness.call("Status", by: client).first)
    let warnings = reply.parameters.objects("warnings")
    #expect(warnings.map { $0.text("kind") } == ["wifiAwareOnly"])
    #expect(warnings.first?.text("sentence")?.hasSuffix(WiFiAwareService.reasonNothingIsFound) == true)
    let tried = harness.call("Inspect", by: client, more: true) { $0.member("item", "held") }
    #expect(tried.map { $0.text("reasonNothingIsFound") } == [WiFiAwareService.reasonNothingIsFound])
  }

  @Test("Without a radio, status reports that and why")
  func statusWithoutRadio() throws {
    let harness = AgentHarness(.lights)
    harness.radioVanishes()
    let client = try #require(harness.connect())
    let reply = try #require(harness.call("Status", by: client).first)
    #expect(reply.object("radio")?.text("state") == "absent")
    guard case .array(let problems)? = reply["problems"], case .object(let problem)? = problems.first else {
      Issue.record("there is a problem")
      return
    }
    #expect(problem.text("kind") == "radioAbsent")
    #expect(
      problem.text("sentence")
        == "there is no radio: it was pulled out; run accessoryctl reload to look for it again")
  }

  @Test(
    "Of a controller that stays silent, status says what to do about this kind of radio",
    arguments: [
      (
        RadioSelection.h4("socket"),
        "name in h4:PATH the socket of a program that speaks H4, such as virtual-controller"
      ),
      (.any, "power the controller off and on"),
    ])
  func statusOfSilentController(radio: RadioSelection, cure: String) throws {
    var manifest = GatewayManifest.lights
    manifest.gateway.radio = radio
    let harness = AgentHarness(manifest)
    harness.radioComes(as: .controller)
    harness.run(milliseconds: 20_000)
    let client = try #require(harness.connect())
    let reply = try #require(harness.call("Status", by: client).first)
    guard case .array(let problems)? = reply["problems"], case .object(let problem)? = problems.first else {
      Issue.record("there is a problem")
      return
    }
    #expect(problem.text("kind") == "radioRecovering")
    let sentence = try #require(problem.text("sentence"))
    #expect(sentence.hasSuffix("; the agent keeps trying; if this continues, \(cure)"), "\(sentence)")
  }

  @Test("Sightings lists the devices that match, or all, and the last reply is empty")
  func sightings() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1), .unknownDevice(2)], after: 3000)
    let client = try #require(harness.connect())
    let matching = harness.call("Sightings", by: client, more: true)
    #expect(matching.count == 2)
    #expect(matching.map(\.continues) == [true, false])
    #expect(matching[0].object("device")?.text("name") == "Lumo")
    #expect(matching[1].parameters == JSONObject())
    let all = harness.call("Sightings", by: client, more: true) { $0.member("includesAll", true) }
    #expect(all.count == 3)
  }

  @Test("A list of a full table arrives whole, although it is larger than the client's buffer")
  func longList() throws {
    let harness = AgentHarness(.lights, scene: (1...300).map { .unknownDevice($0) }, after: 5000)
    let client = try #require(harness.connect())
    let all = harness.call("Sightings", by: client, more: true) { $0.member("includesAll", true) }
    #expect(all.count == 301)
    #expect(Set(all.compactMap { $0.object("device")?.text("address") }).count == 300)
  }

  @Test("Inspect returns the device and where every item has it; an absent device is named")
  func inspect() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1, level: -70)], after: 3000)
    let client = try #require(harness.connect())
    let device = harness.call("Sightings", by: client, more: true)[0].object("device")
    let address = try #require(device?.text("address"))
    let replies = harness.call("Inspect", by: client, more: true) { $0.member("device", address) }
    #expect(replies.count == 4)
    #expect(replies[0].object("device")?.text("address") == address)
    #expect(replies[1].object("itemState")?.text("item") == "bulb")
    #expect(replies[1].object("itemState")?.text("presence") == "inside")
    #expect(replies[2].object("itemState")?.text("item") == "held")
    #expect(replies[2].object("itemState")?.text("presence") == "outside")
    #expect(replies[2].object("itemState")?.object("gate")?.text("range") == "immediate")

    let absent = harness.call("Inspect", by: client, more: true) { $0.member("device", "00:00:00:00:00:01") }
    #expect(absent.map(\.error) == ["io.accessoryd.Gateway.DeviceNotInSight"])
    let wrong = harness.call("Inspect", by: client, more: true) { $0.member("device", "bulb") }
    #expect(wrong.map(\.error) == ["org.varlink.service.InvalidParameter"])
    #expect(wrong.first?.text("parameter") == "device")
  }

  @Test("Inspect says of every device where one item has it; for an unknown item it lists the items")
  func inspectItem() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1, level: -40), .unknownDevice(2)], after: 3000)
    let client = try #require(harness.connect())
    let replies = harness.call("Inspect", by: client, more: true) { $0.member("item", "held") }
    #expect(replies.compactMap { $0.object("device") }.count == 2)
    let states = replies.compactMap { $0.object("itemState") }
    #expect(states.allSatisfy { $0.text("item") == "held" })
    #expect(Set(states.map { $0.text("presence") }) == ["inside", nil])
    let unknown = harness.call("Inspect", by: client, more: true) { $0.member("item", "lamp") }
    #expect(unknown.first?.error == "io.accessoryd.Gateway.ItemNotFound")
    #expect(unknown.first?["items"] == .array([.string("lights/bulb"), .string("lights/held")]))
  }

  @Test("Items has what each looks for, as the lines of a manifest")
  func items() throws {
    let harness = AgentHarness(.lights)
    let client = try #require(harness.connect())
    let items = harness.call("Items", by: client, more: true).compactMap { $0.object("item") }
    #expect(items.map { $0.text("item") } == ["bulb", "held"])
    guard case .array(let lines)? = items[1]["descriptor"] else {
      return #expect(Bool(false), "there are lines")
    }
    #expect(lines.contains(.string("bluetooth-company-identifier = \"0x0EEE\"")), "\(lines)")
    #expect(lines.contains(.string("bluetooth-range = \"immediate\"")), "\(lines)")
  }

  @Test("Inspect says how often the item lost the device while it sent other frames")
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
      harness.call("Inspect", by: client, more: true) { $0.member("device", device) }
      return client.replies.compactMap { $0.object("itemState")?.integer("lossesToOtherFrames") }
    }
    harness.run(milliseconds: 20_000)
    #expect(losses(of: "C0:00:00:00:00:01") == [])
    harness.run(milliseconds: 60_000)
    #expect(losses(of: "C0:00:00:00:00:01").first == 2)
    #expect(losses(of: "C0:00:00:00:00:02") == [])
  }

  @Test("An item that two apps have must be named with its app")
  func ambiguousTrial() throws {
    let manifest = GatewayManifest.lights.with { manifest in
      var other = manifest.apps[0]
      other.name = "shades"
      manifest.apps.append(other)
    }
    let harness = AgentHarness(manifest)
    let client = try #require(harness.connect())
    let ambiguous = harness.call("Inspect", by: client, more: true) { $0.member("item", "bulb") }
    #expect(ambiguous.first?.error == "io.accessoryd.Gateway.ItemAmbiguous")
    #expect(ambiguous.first?["items"] == .array([.string("lights/bulb"), .string("shades/bulb")]))
    #expect(
      harness.call("Inspect", by: client, more: true) { $0.member("item", "shades/bulb") }.last?.error == nil)
  }

  @Test("A capture for some seconds says the addresses of a device, has every packet, and ends")
  func capture() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], after: 1000)
    let client = try #require(harness.connect())
    let device = harness.call("Sightings", by: client, more: true)[0].object("device")
    let address = try #require(device?.text("address"))
    client.forgetReplies()
    harness.call("Capture", by: client, more: true) { json in
      json.member("device", address)
      json.member("seconds", 3)
    }
    #expect(client.replies.first?["addresses"] == .array([.string(address)]))
    harness.run(milliseconds: 2900)
    let count = client.replies.count
    harness.run(milliseconds: 1000)
    let end = client.replies.count
    harness.run(milliseconds: 1000)
    #expect(count > 2 && end > count && client.replies.count == end)
  }

  @Test("Inspect names the key that would resolve the address with its bytes in the reverse order")
  func reversedKey() throws {
    let key = Block128(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
    var bulb = SceneDevice.bulb(1)
    bulb.address = .resolvable(key: key, rotationSeconds: 900)
    for (written, names) in [(key.reversed, ["C0:11:22:33:44:55"]), (key, [])] {
      let identity = IdentityKey(key: written, identity: DeviceAddress(bits: 0xC011_2233_4455, type: .random))
      let harness = AgentHarness(.lights, scene: [bulb], identities: [identity], after: 1000)
      let client = try #require(harness.connect())
      let device = harness.call("Sightings", by: client, more: true)[0].object("device")
      let address = try #require(device?.text("address"))
      let replies = harness.call("Inspect", by: client, more: true) { $0.member("device", address) }
      #expect(replies.compactMap { $0.text("reversedIdentityKey") } == names)
    }
  }

  @Test("While a device is listened to, the radio listens all the time")
  func listening() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], board: BoardProfile(name: "slow"), after: 30_000)
    let client = try #require(harness.connect())
    let device = harness.call("Sightings", by: client, more: true)[0].object("device")
    let address = try #require(device?.text("address"))
    harness.kernel = StandInKernel()
    harness.radioComes(as: .sharedAdapter(index: 3))
    func window() -> UInt16? { harness.kernel?.duty.window }
    #expect(window() == 48)
    harness.call("Capture", by: client, more: true) { json in
      json.member("device", address)
      json.member("seconds", 3)
    }
    #expect(window() == 96)
    harness.run(milliseconds: 3100)
    #expect(window() == 48)
    harness.call("Capture", by: client, more: true) { json in
      json.member("device", address)
      json.member("seconds", 3)
    }
    #expect(window() == 96)
    harness.hangUp(client)
    #expect(window() == 48)
  }

  @Test("A capture lasts for 60 s at most")
  func captureSeconds() throws {
    let harness = AgentHarness(.lights, scene: [])
    let client = try #require(harness.connect())
    let wrong = harness.call("Capture", by: client, more: true) { $0.member("seconds", 61) }
    #expect(wrong.first?.text("parameter") == "seconds")
  }

  @Test("As many captures as there is room for go on at once; the next gets the limit")
  func busy() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1)])
    let clients = try (0...PacketTap.readersMax).map { _ in try #require(harness.connect()) }
    let replies = clients.map { client in
      harness.call("Capture", by: client, more: true) { $0.member("seconds", 3) }
    }
    #expect(replies.dropLast().allSatisfy { $0.allSatisfy { $0.error == nil } })
    #expect(replies.last?.map(\.error) == ["io.accessoryd.Gateway.Busy"])
    #expect(replies.last?.first?.integer("limit") == Int64(PacketTap.readersMax))
  }

  @Test("Metrics are families with help, type and samples, with items by name")
  func metrics() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], after: 2000)
    let client = try #require(harness.connect())
    let text = try #require(harness.call("Metrics", by: client).first?.text("text"))
    #expect(text.contains("# TYPE accessoryd_reports_total counter\naccessoryd_reports_total "))
    #expect(
      text.contains("accessoryd_item_devices{app=\"lights\",item=\"bulb\",presence=\"found\"} 1\n"))
    #expect(text.contains("accessoryd_radio_state{state=\"on\"} 1\n"))
    #expect(text.contains("accessoryd_items_omitted 0\n"))
  }

  @Test("Metrics have base units, the version, and the figures of the process")
  func baseUnits() throws {
    let harness = AgentHarness(.lights)
    harness.agent.measureProcess = {
      ProcessFigures(
        processorMicroseconds: 1_500_000, residentBytes: 12 << 20, virtualBytes: 1 << 30, openDescriptors: 9,
        openDescriptorsMax: 1024, startMicroseconds: 1_700_000_000_250_000)
    }
    harness.run(milliseconds: 2000)
    let client = try #require(harness.connect())
    let text = try #require(harness.call("Metrics", by: client).first?.text("text"))
    let names = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map {
      $0.split(separator: " ")[2]
    }
    #expect(!names.contains { $0.contains("micro") || $0.contains("milli") || $0.hasSuffix("_ms") })
    for line in [
      "accessoryd_build_info{version=\"0.1.0\"} 1", "process_cpu_seconds_total 1.500000",
      "process_resident_memory_bytes 12582912", "process_virtual_memory_bytes 1073741824",
      "process_open_fds 9", "process_max_fds 1024", "process_start_time_seconds 1700000000.250000",
      "accessoryd_queueing_seconds_total 0.000000",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
    #expect(text.contains("\naccessoryd_uptime_seconds 2."))
  }

  @Test("Items for which metrics have no room are counted")
  func manyItems() throws {
    let manifest = GatewayManifest.lights.with { manifest in
      manifest.apps[0].items = (0..<2000).map { index in
        var item = DisplayItem.bulb
        item.id = "bulb-number-\(index)"
        return item
      }
    }
    let harness = AgentHarness(manifest)
    let client = try #require(harness.connect())
    let text = try #require(harness.call("Metrics", by: client).first?.text("text"))
    #expect(!text.contains("accessoryd_items_omitted 0\n"))
    #expect(client.receivedByteCount < 32 << 10)
  }

  @Test("A capture has every packet with its time and direction, including the agent's commands")
  func captureOfDevice() throws {
    let harness = AgentHarness(.lights, scene: [.bulb(1)], board: BoardProfile(name: "slow"), after: 500)
    let client = try #require(harness.connect())
    let greeting = harness.call("Capture", by: client, more: true)
    #expect(greeting.count == 1 && greeting[0]["time"] != nil)
    let reports = harness.agent.streamCounters
    harness.setImmediateRequests(1)
    harness.run(milliseconds: 1000)
    #expect(reports.packetsCaptured == 0)
    var directions: Set<String> = []
    var count = 0
    for reply in client.replies.dropFirst() {
      guard case .array(let packets)? = reply["packets"] else { continue }
      for case .object(let packet) in packets {
        directions.insert(packet.text("direction") ?? "")
        count += 1
      }
    }
    #expect(directions == ["received", "sent"])
    #expect(count == Int(harness.agent.streamCounters.packetsCaptured))
  }
}
