// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import JSON
import Manifest
@testable import Pairing
import Registry
import RegistrySupport
import Setup
import Testing
import Varlink
import VirtualRadio

@testable import Agent

@Suite("Devices that are known by the key of their bond")
struct IdentityScenarios {
  private static let identity = BondedBench.identity

  @Test("An accessory is one device over the rotations of its address: no event, one sighting, in sight")
  func rotation() {
    let bench = BondedBench(hasAdapter: false)
    let watch = bench.app.call("WatchAdvertisements", wait: 45)
    let followed = bench.harness.agent.dataPath.pipeline.counters.addressesFollowed
    #expect(followed >= 3)
    let events = watch.replies.compactMap { $0.object("advertisement")?.text("event") }
    #expect(!events.contains("lost") && events.count { $0 == "found" } <= 1)
    #expect(bench.harness.agent.deviceCount == 1)
    let row = bench.harness.agent.dataPath.row(at: Self.identity) ?? 0
    let isFound = bench.harness.agent.dataPath.isFound(at: row)
    let device = bench.harness.agent.dataPath.pipeline.device(at: row)
    #expect(isFound && device?.isAccessory == true)
  }

  @Test("A lost bond keeps its identity key; without a bond the addresses are those of unknown devices")
  func lost() {
    let lost = BondedBench(.lost(Rows.bond()), hasAdapter: false)
    lost.scenario.run(seconds: 25)
    #expect(lost.harness.agent.deviceCount == 1)
    let unbonded = BondedBench(.none, hasAdapter: false)
    unbonded.scenario.run(seconds: 25)
    #expect(unbonded.harness.agent.deviceCount > 1)
    let row = unbonded.harness.agent.dataPath.row(at: Self.identity)
    #expect(row == nil)
  }

  @Test("The key of a bond counts before one of the manifest's file, and that one when the bond is gone")
  func twoKeys() {
    let other = IdentityKey(key: Block128(high: 1, low: 2), identity: Self.identity)
    let bench = BondedBench(hasAdapter: false)
    var configuration = bench.harness.agent.configuration
    configuration.identities = [other]
    bench.harness.reading = .accepted(configuration, radioSource: "h4:bench", warnings: [])
    bench.harness.readManifestAgain()
    #expect(bench.harness.agent.identities.map(\.key) == [Rows.key(14).block])
    #expect(bench.harness.agent.identityCount == 1)
    for user in [bench.app] { user.call("RemoveAccessory", about: bench.accessory) }
    bench.scenario.run(seconds: 1)
    let garden = bench.scenario.app("garden", user: 1001)
    bench.scenario.run(seconds: 1)
    for accessory in bench.harness.agent.setupCore.registry.accessories {
      garden.call("RemoveAccessory", about: accessory.identifier.text)
    }
    bench.scenario.run(seconds: 1)
    #expect(bench.harness.agent.setupCore.registry.devices.isEmpty)
    #expect(bench.harness.agent.identities == [other])
    let key = bench.harness.agent.dataPath.pipeline.identity(at: 0)
    #expect(key == other)
  }

  @Test("A key of zeros identifies nothing")
  func zeroKey() {
    var record = Rows.bond()
    record.keys.identityKey = KeyValue([UInt8](repeating: 0, count: 16))
    let bench = BondedBench(.bonded(record), hasAdapter: false)
    #expect(bench.harness.agent.identityCount == 0)
  }

  @Test(
    "When a device is paired, the key is followed in the turn that writes the bond; nothing is lost or found")
  func paired() throws {
    let manifest = GatewayManifest.lights { item in
      item.pairing = .justWorks
      item.descriptor.supportedOptions = .bluetoothPairingLE
    }
    let harness = AgentHarness(manifest, scene: [BondedBench.rotatingBulb], access: .twoApps)
    let agent = harness.agent
    agent.setupLink.pairingScript = { [unowned agent] command in
      guard case .pair(let request) = command else { return }
      #expect(request.device.lifetime == .resolvablePrivate)
      let device = PairedDevice(
        identity: Self.identity, record: Rows.bond(isAuthenticated: false), method: .justWorks)
      agent.passOn(.ended(request.id, .success(device)))
    }
    let scenario = SetupScenario(harness)
    let (app, anna) = (scenario.app(), scenario.watcher())
    let watch = try #require(harness.connect())
    harness.call("Watch", by: watch, more: true)
    let advertisements = app.call("WatchAdvertisements")
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 0.1)
    #expect(agent.setupCore.registry.devices.map(\.identity.address) == [Self.identity])
    #expect(agent.identityCount == 1)
    scenario.run(seconds: 45)
    #expect(agent.deviceCount == 1)
    // What the operators' watch shows is the item's one sighting; the app's begins with the accessory.
    let sightings = watch.replies.compactMap { $0.object("event")?.text("event") }
    #expect(!sightings.contains("lost") && !sightings.contains("found"))
    let events = advertisements.replies.compactMap { $0.object("advertisement")?.text("event") }
    #expect(events.first == "found" && events.count { $0 == "found" } == 1 && !events.contains("lost"))
    app.call("RemoveAccessory", about: app.accessory, wait: 1)
    #expect(agent.identityCount == 0)
  }
}

extension AgentCore {
  fileprivate var deviceCount: Int { dataPath.deviceCount }
  fileprivate var identityCount: Int { dataPath.pipeline.identityCount }
}
