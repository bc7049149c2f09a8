// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
@testable import Agent
import Discovery
import HCI
import JSON
import Manifest
@testable import Pairing
import Registry
import Setup
import Testing
import Varlink
import VirtualRadio

@Suite("Devices that are paired while they are set up")
struct PairingScenarios {
  @Test("The device is paired between its choice and its name, and its bond is written with the accessory")
  func order() throws {
    let bench = PairingBench { manifest in
      manifest.apps[0].items[0].setupOptions = .rename
      manifest.apps[0].items[0].descriptor.supportedOptions.insert(.bluetoothTransportBridging)
    }
    let call = bench.chooses()
    let request = try #require(bench.backend.requests.first)
    #expect(request.device == PairingBench.bulb && request.capability == .keyboardDisplay)
    #expect(!request.demandsAuthentication && !request.replacesBond && !request.isInputDevice)
    #expect(bench.phase == "pairing" && bench.accessories.isEmpty)
    bench.succeeds()
    #expect(bench.phase == "naming" && bench.accessories.isEmpty)
    bench.anna.answer("Name", #""name":"Desk""#, wait: 1)
    #expect(
      bench.events() == [
        "pickerDidPresent", "pickerSetupPairing", "pickerSetupBridging", "pickerSetupRename",
        "accessoryAdded",
        "pickerDidDismiss", "pickerFinished",
      ])
    #expect(bench.bond == .bonded(PairedDevice.sample(.justWorks).record))
    let reply = try #require(call.replies.last)
    #expect(reply.text("displayName") == "Desk" && reply.text("pairing") == "justWorks")
    #expect(reply["isBondAuthenticated"] == .bool(false))
    #expect(bench.backend.takeCommands() == [.pair(request)])
    let bond = try #require(bench.harness.setupCore.bonds.first)
    #expect(bond.identity == PairingBench.bulb && bond.bond == bench.bond)
    #expect(
      bench.harness.notices.contains(.setup(.paired(app: "lights", .justWorks, isAuthenticated: false))))
  }

  @Test("A name in the choice is kept over the pairing, and the time for a name begins after it")
  func name() {
    let named = PairingBench { $0.apps[0].items[0].setupOptions = .rename }
    named.chooses(#""name":"Desk""#)
    named.succeeds()
    #expect(named.harness.setupCore.registry.devices.first?.displayName == "Desk")
    let unnamed = PairingBench { $0.apps[0].items[0].setupOptions = .rename }
    unnamed.chooses(wait: 55)
    unnamed.succeeds()
    unnamed.scenario.run(seconds: 58)
    #expect(unnamed.phase == "naming")
    unnamed.scenario.run(seconds: 3)
    #expect(unnamed.harness.setupCore.registry.devices.first?.displayName == "Lumo bulb")
    #expect(unnamed.backend.takeCommands().count == 1)
  }

  @Test(
    "While a person names a device it is known by its identity, and no longer when the request ends without it"
  )
  func identityBeforeName() {
    let bench = PairingBench { $0.apps[0].items[0].setupOptions = .rename }
    bench.chooses()
    #expect(bench.harness.agent.identities.isEmpty)
    bench.succeeds()
    #expect(bench.phase == "naming" && bench.harness.setupCore.registry.devices.isEmpty)
    #expect(bench.harness.agent.identities.map(\.identity) == [PairingBench.bulb])
    let known = bench.harness.agent.dataPath.pipeline.identity(at: 0)
    #expect(known.identity == PairingBench.bulb)
    bench.lights.call("CancelPicker", wait: 1)
    let kept = bench.harness.agent.dataPath.pipeline.identityCount
    #expect(bench.harness.agent.identities.isEmpty && kept == 0)
  }

  @Test("A private address gives way to the identity that the pairing reveals")
  func identity() {
    let bench = PairingBench()
    bench.chooses()
    let identity = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
    bench.succeeds(.justWorks, identity)
    let device = bench.harness.setupCore.registry.devices.first
    #expect(device?.identity == .bluetooth(identity) && device?.isIdentityDurable == true)
    #expect(bench.accessories.map(\.app) == ["lights"])
  }

  @Test(
    "A key for the classic transport, or one of bluetoothd, gives the bridging identifier, and the app's own wins",
    arguments: [false, true])
  func bridging(isOfBluetoothd: Bool) {
    let bench = PairingBench { manifest in
      manifest.apps[0].items[0].descriptor.supportedOptions.insert(.bluetoothTransportBridging)
      manifest.apps[0].items[0].setupOptions = .confirmAuthorization
    }
    bench.chooses()
    let identity = DeviceAddress(bits: 0x0011_2233_4455, type: .public)
    var device = PairedDevice.sample(.justWorks, identity, linkKey: true)
    if isOfBluetoothd {
      var record = BondRecord(owner: .bluetoothd, isAuthenticated: false)
      record.hasForeignLinkKey = true
      device = PairedDevice(identity: identity, record: record, method: .justWorks)
    }
    bench.reports(.ended(bench.pairing, .success(device)))
    #expect(bench.accessories.first?.bridgingIdentifier == 0x0011_2233_4455)
    bench.lights.call(
      "FinishAuthorization", about: bench.lights.accessory,
      #""bluetoothTransportBridgingIdentifier":"0a0b0c0d0e0f""#)
    #expect(bench.accessories.first?.bridgingIdentifier == 0x0A0B_0C0D_0E0F)
  }

  // MARK: - The person

  @Test("An operator types the digits that the device shows")
  func digitsEntered() {
    let bench = PairingBench()
    let call = bench.chooses()
    bench.asks(.enterDigits)
    #expect(bench.scenario.takeLines().contains("anna: setup lights pairing Lumo bulb enterDigits"))
    for answer in [#""digits":"12345""#, #""digits":"12345a""#, #""matches":true"#, ""] {
      #expect(bench.failure(bench.anna.answer("AnswerPairing", answer))?.error == "Invalid")
    }
    let answer = bench.anna.answer("AnswerPairing", #""digits":"012345""#)
    #expect(answer.replies.map(\.error) == [nil])
    #expect(bench.backend.commands.last == .answer(bench.pairing, .digits(12345)))
    #expect(bench.failure(bench.anna.answer("AnswerPairing", #""digits":"012345""#))?.error == "Invalid")
    bench.succeeds(.digitsEntered)
    #expect(call.replies.last?.text("pairing") == "digitsEntered")
    #expect(call.replies.last?["isBondAuthenticated"] == .bool(true))
    #expect(bench.scenario.takeLines().contains("closed a1 Lumo bulb digitsEntered"))
    #expect(
      bench.failure(bench.anna.answer("AnswerPairing", #""digits":"012345""#))?.error == "RequestClosed")
  }

  @Test("Digits to type at the device are shown with all six places, and need no answer")
  func digitsShown() {
    let bench = PairingBench()
    bench.chooses()
    bench.asks(.showDigits(4711))
    #expect(bench.scenario.takeLines().contains("pairing Lumo bulb showDigits 004711"))
    #expect(bench.failure(bench.anna.answer("AnswerPairing", #""digits":"004711""#))?.error == "Invalid")
    bench.succeeds(.digitsShown)
    #expect(bench.bond?.provenState == true)
  }

  @Test("An operator compares digits: yes and no", arguments: [true, false])
  func compare(matches: Bool) {
    let bench = PairingBench()
    let call = bench.chooses()
    bench.asks(.compare(654_321))
    #expect(bench.scenario.takeLines().contains("pairing Lumo bulb compare 654321"))
    #expect(bench.failure(bench.anna.answer("AnswerPairing", #""digits":"654321""#))?.error == "Invalid")
    bench.anna.answer("AnswerPairing", #""matches":\#(matches)"#)
    #expect(bench.backend.commands.last == .answer(bench.pairing, .digitsMatch(matches)))
    if matches { bench.succeeds(.digitsCompared) } else { bench.fails(.digitsDiffer) }
    #expect(call.replies.last?.error?.drop(through: ".") == (matches ? nil : "SetupFailed"))
    #expect(bench.accessories.count == (matches ? 1 : 0))
  }

  @Test("What all watching operators can do together decides how a device is paired")
  func capabilities() {
    let cases: [([[String]], IOCapability)] = [
      ([[]], .none), ([["display"]], .displayOnly), ([["keyboard"]], .keyboardOnly), ([["yesNo"]], .none),
      ([["display", "yesNo"]], .displayYesNo), ([["display"], ["keyboard"]], .keyboardDisplay),
      ([["display"], ["yesNo"]], .displayYesNo),
    ]
    for (watchers, capability) in cases {
      let bench = PairingBench(capabilities: watchers[0])
      for watcher in watchers.dropFirst() { bench.scenario.watcher("bert", watcher) }
      bench.chooses()
      #expect(bench.backend.requests.first?.capability == capability, "\(watchers)")
    }
    let bench = PairingBench()
    let bert = bench.scenario.watcher("bert", [])
    bench.picks()
    bench.anna.hangUp()
    bert.choose()
    #expect(bench.backend.requests.first?.capability == IOCapability.none)
  }

  @Test("Unknown capabilities are refused")
  func unknownCapability() {
    let bench = PairingBench()
    let call = bench.anna.call("Watch", #""capabilities":["ears"]"#)
    #expect(call.replies.last?.error != nil)
  }

  @Test("Operators learn beforehand how devices are paired, and that a simulated radio pairs none")
  func note() throws {
    let bench = PairingBench { $0.apps[0].items[0].pairing = .authenticated }
    bench.picks()
    let request = bench.anna.stream?.replies.compactMap { $0.object("request") }.last
    #expect(request?.objects("items").map { $0.text("pairing") } == ["authenticated"])
    #expect(
      request?.text("pairingNote")
        == "this gateway cannot pair: its radio is simulated or recorded; name an adapter as radio in the gateway's manifest"
    )
  }
}
