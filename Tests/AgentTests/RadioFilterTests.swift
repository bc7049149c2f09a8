// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Agent
import AgentSupport
import HCI
import Interfaces
import JSON
import Manifest
import Setup
import Testing
import Varlink
import VarlinkClient
import VirtualRadio

@Suite("The filter in the kernel, and the agent")
struct RadioFilterTests {
  private static let adapter = RadioKind.adapter(index: 3)

  private func gateway(
    _ manifest: GatewayManifest = .lights, scene: [SceneDevice] = [.bulb(1), .unknownDevice(2)],
    errors: [RadioFilterError] = [], access: AccessList = .twoApps
  ) -> AgentHarness {
    let harness = AgentHarness(manifest, scene: scene, access: access)
    harness.filterErrors = errors
    harness.radioComes(as: Self.adapter)
    harness.run(milliseconds: 1500)
    return harness
  }

  private func filterText(_ harness: AgentHarness) throws -> String? {
    let client = try #require(harness.connect())
    defer { harness.hangUp(client) }
    return harness.call("Status", by: client).first?.object("radio")?.text("filter")
  }

  private func reload(_ harness: AgentHarness, _ manifest: GatewayManifest) {
    harness.reading = .accepted(
      AgentCore.Configuration(manifest, board: .attentive, access: .twoApps), radioSource: "h4:bench",
      warnings: [])
    harness.readManifestAgain()
    harness.run(milliseconds: 1200)
  }

  private func isFiltered(_ harness: AgentHarness) -> Bool { harness.filters.last.map { $0 != nil } ?? false }

  // MARK: - The same events

  /// Bulbs that come and go, alternate frames or have their name elsewhere, among devices that nothing looks for.
  private static func scene(_ seed: UInt64) -> [SceneDevice] {
    var dice = SeededGenerator(seed: seed)
    return (1...60).map { number in
      let frames: [AdvertisingPayload] = [
        AdvertisingPayload().flags(6).manufacturerData(0x0EEE, [1, UInt8(number)]),
        AdvertisingPayload().flags(6).manufacturerData(0x004C, [2, UInt8(number)]),
        AdvertisingPayload().flags(6).name("Lumo \(number)"),
        AdvertisingPayload().serviceData(BluetoothUUID(short: 0xFE0F), [UInt8(number)]),
      ]
      let first = number % 6 == 0 ? frames[0] : frames[1 + dice.number(below: 3)]
      let cycle = dice.chance(perMille: 300) ? [first, frames[1]] : [first]
      let start = Int64(dice.number(below: 60))
      return SceneDevice(
        .staticRandom(UInt64(number)), .legacy(dice.chance(perMille: 500) ? .connectable : .scannable),
        payloads: PayloadScript(cycle: cycle, turnMilliseconds: 2000),
        scanResponse: dice.chance(perMille: 500) ? frames[dice.number(below: 4)] : nil,
        intervalMilliseconds: 100 + dice.number(below: 900), signal: SignalModel(.steady(-60)),
        presence: [.seconds(start, start + 30), .seconds(start + 70, start + 200)])
    }
  }

  private func events(_ manifest: GatewayManifest, _ seed: UInt64) throws -> (
    found: [String], reports: Int64, filters: Int
  ) {
    let harness = AgentHarness(manifest, scene: Self.scene(seed), access: .twoApps)
    harness.readsAtFixedTimes = true
    harness.radioComes(as: Self.adapter)
    let client = try #require(harness.connect())
    harness.call("Watch", by: client, more: true)
    harness.run(milliseconds: 180_000)
    let lines = client.events.filter { $0.text("event") != "changed" }.map { event in
      ["event", "item", "address"].map { event.text($0) ?? "?" }.joined(separator: " ")
        + " \(event["time"].map { "\($0)" } ?? "?")"
    }
    let status = try #require(harness.connect())
    let reports = harness.call("Status", by: status).first?.integer("reports") ?? 0
    return (lines, reports, harness.filters.count)
  }

  @Test("The same devices are found and lost at the same times", arguments: 1...6 as ClosedRange<UInt64>)
  func sameEvents(seed: UInt64) throws {
    let manifest = GatewayManifest.lights.with {
      var named = DisplayItem(id: "named", name: "named")
      named.descriptor.companyIdentifier = 0x0EEE
      named.descriptor.nameSubstring = Array("Lumo".utf8)
      named.selection = .observe
      if seed.isMultiple(of: 2) { $0.apps[0].items.append(named) }
    }
    let whole = try events(manifest.with { $0.gateway.filter = .off }, seed)
    let filtered = try events(manifest, seed)
    #expect(whole.filters == 0 && filtered.filters > 10)
    #expect(whole.found.count > 20)
    let difference = filtered.found.difference(from: whole.found)
    #expect(difference.isEmpty, "\(difference.map { "\($0)" }.joined(separator: "\n"))")
    // A name may be anywhere in advertising data, and any scan response may have it.
    #expect(filtered.reports * (seed.isMultiple(of: 2) ? 1 : 2) < whole.reports)
  }

  // MARK: - When it is there

  @Test("An adapter has a filter, and no other radio")
  func kinds() throws {
    #expect(isFiltered(gateway()))
    let other = AgentHarness(.lights, scene: [.bulb(1)], after: 2000)
    #expect(other.filters.isEmpty)
    #expect(try filterText(other) == nil)
    let off = gateway(GatewayManifest.lights.with { $0.gateway.filter = .off })
    #expect(off.filters.isEmpty)
    #expect(try filterText(off) == "none, as the manifest says")
  }

  @Test("It is replaced at most once a second, and only when it differs")
  func pace() {
    let harness = gateway(scene: (1...40).map { .arriving($0, second: Int64($0 / 4)) })
    harness.run(milliseconds: 11_000)
    #expect((8...13).contains(harness.filters.count))
    let count = harness.filters.count
    harness.run(milliseconds: 8000)
    #expect(harness.filters.count == count)
  }

  @Test("A list of everything waits until all devices were heard, and the filter comes back a minute later")
  func everything() throws {
    let harness = gateway()
    let client = try #require(harness.connect())
    #expect(harness.call("Sightings", by: client, more: true) { _ in }.count == 2)
    #expect(isFiltered(harness))
    harness.hangUp(client)
    let other = try #require(harness.connect())
    let none = harness.call("Sightings", by: other, more: true) {
      $0.member(GatewayInterface.includesAll, true)
    }
    #expect(none.isEmpty && !isFiltered(harness))
    harness.run(milliseconds: 2900)
    #expect(other.replies.isEmpty)
    harness.run(milliseconds: 200)
    #expect(other.replies.count == 3)
    #expect(try filterText(harness) == "none now: every report is needed by a call of the last minute")
    // Later ones do not wait.
    let third = try #require(harness.connect())
    #expect(harness.call("Inspect", by: third, more: true).count > 2)
    harness.run(milliseconds: 59_000)
    #expect(!isFiltered(harness))
    harness.run(milliseconds: 2000)
    #expect(isFiltered(harness))
  }

  @Test("A client that leaves while its list waits is forgotten")
  func leaves() throws {
    let harness = gateway()
    let client = try #require(harness.connect())
    harness.call("Sightings", by: client, more: true) { $0.member(GatewayInterface.includesAll, true) }
    harness.hangUp(client)
    harness.run(milliseconds: 5000)
    harness.agent.checkInvariants()
  }

  @Test("There is none while packets are captured, or every report is streamed")
  func streams() throws {
    let harness = gateway()
    for (method, need) in [("Capture", "a capture"), ("WatchReports", "a stream of reports")] {
      let client = try #require(harness.connect())
      harness.call(method, by: client, more: true)
      harness.run(milliseconds: 100)
      #expect(!isFiltered(harness), "\(method)")
      #expect(try filterText(harness) == "none now: every report is needed by \(need)")
      harness.hangUp(client)
      if method == "WatchReports" { harness.reportReaders.forEach { harness.agent.reportsClosed($0.id) } }
      harness.run(milliseconds: 2000)
      #expect(isFiltered(harness), "\(method)")
    }
  }

  @Test("There is none while a picker is open for everything of a company")
  func broadPicker() {
    let narrow = GatewayManifest.lights.with {
      for index in $0.apps[0].items.indices {
        $0.apps[0].items[index].descriptor.manufacturerData = MaskedBytes(blob: [1])
      }
    }
    for (manifest, isThere) in [(GatewayManifest.lights, false), (narrow, true)] {
      let harness = gateway(manifest)
      let scenario = SetupScenario(harness)
      scenario.app().call("ShowPicker", wait: 1)
      #expect(harness.setupCore.hasOpenPicker)
      #expect(isFiltered(harness) == isThere)
      let need = "none now: every report is needed by a picker for a whole company or service"
      #expect(isThere || (try? filterText(harness)) == need)
    }
  }

  @Test("A picker's own items are in the filter while it is open")
  func ownItems() {
    let manifest = GatewayManifest.lights.with {
      $0.apps[0].items.removeLast()
      $0.apps[0].items[0].descriptor.companyIdentifier = nil
      $0.apps[0].items[0].descriptor.serviceUUID = BluetoothUUID(short: 0xFE0F)
      $0.apps[0].items[0].descriptor.serviceData = MaskedBytes(blob: [9])
    }
    let harness = gateway(manifest)
    let scenario = SetupScenario(harness)
    let (app, _) = (scenario.app(), scenario.watcher())
    app.call(
      "ShowPicker",
      #""items":[{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":3822,"#
        + #""bluetoothManufacturerDataBlob":"01","bluetoothManufacturerDataMask":"ff"}}]"#, wait: 1)
    #expect(scenario.text.contains("candidate 1 Mine"), "\(scenario.text)")
    #expect(isFiltered(harness))
  }

  @Test("A reload removes it, and it is written anew for the new items")
  func reload() throws {
    let harness = gateway()
    let before = try #require(harness.filters.last)
    let next = GatewayManifest.lights.with { $0.apps[0].items[0].descriptor.companyIdentifier = 0x004C }
    reload(harness, next)
    let after = try #require(harness.filters.last)
    #expect(harness.filters.contains(nil) && after != nil && after != before)
  }

  // MARK: - The kernel refuses

  @Test("A kernel that takes no long program gets a shorter one, and then none")
  func tooLong() throws {
    let shorter = gateway(errors: [.tooLong])
    #expect(Set(shorter.filters.compactMap { $0 }.dropFirst().map(\.detail)) == [.firstBytes])
    #expect(
      try filterText(shorter) == "2 items in less detail, for the kernel takes no longer program")
    let none = gateway(errors: [.tooLong, .tooLong, .tooLong])
    #expect(none.filters.compactMap { $0 }.map(\.detail) == [.wholeData, .firstBytes, .keys])
    #expect(none.filters.last == .some(nil))
    #expect(try filterText(none) == "none: the kernel takes no program of this length")
  }

  @Test(
    "A kernel that took no program for the former items is asked for the new ones, in every detail",
    arguments: [1, 3])
  func tooLongBefore(refusals: Int) throws {
    let harness = gateway(errors: Array(repeating: .tooLong, count: refusals))
    reload(harness, .lights.with { $0.apps[0].items[0].descriptor.companyIdentifier = 0x004C })
    #expect(harness.filters.compactMap(\.self).last?.detail == .wholeData && isFiltered(harness))
    #expect(try filterText(harness) == "2 items")
  }

  @Test("A kernel that takes none is asked again after a minute, and the agent says why")
  func refused() throws {
    let harness = gateway(errors: [.refused("Protocol not available")])
    #expect(try filterText(harness) == "none: the kernel refuses it: Protocol not available")
    harness.run(milliseconds: 57_000)
    #expect(!isFiltered(harness))
    harness.run(milliseconds: 3000)
    #expect(isFiltered(harness))
  }

  @Test("Two thousand items that no program can hold leave the agent without a filter")
  func manyItems() throws {
    let manifest = GatewayManifest.lights.with {
      $0.apps[0].items += (0..<5000).map { number in
        var item = DisplayItem(id: "i\(number)", name: "i")
        item.descriptor.companyIdentifier = UInt16(0x1000 + number)
        item.descriptor.manufacturerData = MaskedBytes(blob: [1, 2, 3, 4])
        return item
      }
    }
    let harness = gateway(manifest)
    #expect(
      try filterText(harness) == "none: the items and devices need a longer program than a kernel takes")
    #expect(harness.filters.allSatisfy { $0 == nil })
  }

  @Test("Status says how many items and how many reports")
  func figure() throws {
    let harness = gateway(scene: [.bulb(1)] + (2...60).map { .unknownDevice($0) })
    harness.run(milliseconds: 60_000)
    let text = try #require(try filterText(harness))
    let percent = try #require(
      Int(text.split(separator: " ").dropFirst(2).first ?? ""), "2 items, N % of the reports dropped: \(text)"
    )
    let counts = harness.filterCounts
    #expect(abs(percent - 100 * counts.dropped / counts.seen) <= 10, "\(text), \(counts)")
    #expect(text == "2 items, \(percent) % of the reports dropped")
  }
}
