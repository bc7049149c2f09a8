// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import HCI
import Manifest
import Registry
import Setup
import Testing
import Varlink
import VirtualRadio

@Suite("Migration of devices that an app knew before", .overEveryTransport)
struct MigrationScenarios {
  private static let bulb = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
  private static let addressForm = "00000000-0000-0000-0000-C4A100001E27"

  private static func item(_ identifier: String, id: String = "bulb") -> String {
    #"{"item":"\#(id)","migrate":{"bluetoothIdentifier":"\#(identifier)"}}"#
  }

  /// An app whose accessory was removed, and the identifier that it had.
  private static func former(
    scene: [SceneDevice] = [.bulb(1)]
  ) -> (SetupScenario, ScenarioApp, ScenarioOperator, identifier: String) {
    let (scenario, app, anna) = SetupScenario.owning(scene: scene)
    let identifier = app.events.last { $0.object("accessory") != nil }?.object("accessory")?
      .text("bluetoothIdentifier")
    app.call("RemoveAccessory", about: app.accessory, wait: 1)
    _ = scenario.takeLines()
    return (scenario, app, anna, identifier ?? "")
  }

  /// The identifiers that `accessoryctl registry show` lists.
  private static func listedIdentifiers(_ anna: ScenarioOperator) -> [String] {
    anna.call("Registry").replies.compactMap { $0.object("former")?.text("bluetoothIdentifier") }
  }

  private static func bluetoothIdentifier(_ app: ScenarioApp) -> String? {
    app.events.last { $0.object("accessory") != nil }?.object("accessory")?.text("bluetoothIdentifier")
  }

  @Test("A device comes back with the identifier that the app had, after an operator has agreed")
  func formerIdentifier() {
    let (scenario, app, anna, identifier) = Self.former()
    app.call("ShowPicker", #""items":[\#(Self.item(identifier))]"#, wait: 1)
    anna.answer("Agree", wait: 1)
    #expect(
      scenario.text == """
        3.0 lights: pickerDidPresent
        3.0 anna: migrate lights answering adds Lumo bulb at C0:00:00:00:00:01, which the app had before
        3.0 lights: ShowPicker → done
        4.0 lights: accessoryAdded a2 Lumo bulb authorized
        4.0 lights: migrationComplete
        4.0 lights: pickerDidDismiss
        4.0 lights: pickerFinished
        4.0 anna: Agree → done
        4.1 anna: closed
        """)
    #expect(Self.bluetoothIdentifier(app) == identifier && !identifier.isEmpty)
    #expect(scenario.harness.setupCore.registry.formers.isEmpty)
    let pickers = Set(app.events.suffix(3).map { $0.text("picker") })
    #expect(pickers.count == 1 && pickers.first != nil)
  }

  @Test("A device that BlueZ knows is migrated by its address, with BlueZ's type")
  func address() {
    let scenario = SetupScenario(scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    scenario.harness.knownDevices = KnownDevices([Self.bulb])
    app.call("ShowPicker", #""items":[\#(Self.item(Self.addressForm))]"#, wait: 1)
    anna.answer("Agree", wait: 1)
    // Over a socket, operators may see the moment between two of these.
    let words = [" lights: ", "answering", "Agree"]
    #expect(
      scenario.lines.filter { line in words.contains { line.contains($0) } } == [
        "0.0 lights: activated", "0.0 lights: pickerDidPresent", "0.0 lights: ShowPicker → done",
        "0.1 anna: migrate lights answering adds Lumo bulb at C4:A1:00:00:1E:27, if BlueZ knows it",
        "1.0 lights: accessoryAdded a1 Lumo bulb authorized", "1.0 lights: migrationComplete",
        "1.0 lights: pickerDidDismiss", "1.0 lights: pickerFinished", "1.0 anna: Agree → done",
      ])
    #expect(scenario.harness.setupCore.registry.devices.map(\.identity) == [.bluetooth(Self.bulb)])
    #expect(Self.bluetoothIdentifier(app)?.hasPrefix("00000000000000000000") == false)
  }

  @Test("An identifier that the app never had is refused with the field")
  func neverHad() throws {
    let (scenario, app, _, identifier) = Self.former()
    let item = Self.item("00112233445566778899aabbccddeeff")
    let reply = try #require(app.call("ShowPicker", #""items":[\#(item)]"#).replies.last)
    #expect(reply.error == "io.accessoryd.Session.InvalidRequest")
    #expect(reply.text("field") == "items[0].migrate.bluetoothIdentifier")
    #expect(reply.text("reason") == "the app has had no accessory with this identifier")
    #expect(scenario.harness.setupCore.registry.formers.map(\.bluetoothIdentifier.text) == [identifier])
  }

  /// What BlueZ and the gateway may know of an address that an app asks to migrate.
  private static let knowledge: [(known: KnownDevices, reason: String)] = [
    (KnownDevices([]), "BlueZ knows no device with the address C4:A1:00:00:1E:27"),
    (
      KnownDevices([bulb, DeviceAddress(bits: bulb.bits, type: .public)]),
      "BlueZ knows a public and a random device with the address C4:A1:00:00:1E:27"
    ),
    (
      KnownDevices(
        [],
        failure: #"bluetoothd is not running, and bluetoothd's folder "/b" cannot be read: Permission denied"#
      ),
      "the type of the address C4:A1:00:00:1E:27 is not known: bluetoothd is not running, and bluetoothd's "
        + #"folder "/b" cannot be read: Permission denied"#
    ),
  ]

  @Test("Until an operator agrees, the app receives the same whatever is known of an address")
  func nothingBeforeConsent() {
    func lines(_ known: KnownDevices, isOthers: Bool, seconds: Double = 20) -> [String] {
      let scenario = SetupScenario(.lightsAndGarden)
      let (app, garden, anna) = (scenario.app(), scenario.app("garden", user: 1001), scenario.watcher())
      garden.call("ShowPicker", wait: 1)
      if isOthers { anna.choose() }
      scenario.run(seconds: 1)
      scenario.harness.knownDevices = known
      app.call("ShowPicker", #""items":[\#(Self.item("00000000-0000-0000-0000-C00000000001"))]"#)
      scenario.run(seconds: seconds)
      return scenario.lines.filter { $0.contains(" lights: ") }
    }
    let device = DeviceAddress(bits: 0xC000_0000_0001, type: .random)
    let known = lines(KnownDevices([device], bonded: [device]), isOthers: true, seconds: 700)
    #expect(known.count == 5)
    #expect(lines(Self.knowledge[0].0, isOthers: false, seconds: 700) == known)
    let first = lines(KnownDevices([device], bonded: [device]), isOthers: true)
    for isOthers in [true, false] {
      for (knowledge, _) in Self.knowledge { #expect(lines(knowledge, isOthers: isOthers) == first) }
    }
  }

  @Test("An address that BlueZ does not know fails with the reason when an operator agrees", arguments: 0..<3)
  func unknownAddress(index: Int) throws {
    let (known, reason) = Self.knowledge[index]
    let scenario = SetupScenario(scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    scenario.harness.knownDevices = known
    app.call("ShowPicker", #""items":[\#(Self.item(Self.addressForm))]"#, wait: 1)
    let call = anna.answer("Agree", wait: 1)
    #expect(call.replies.last?.error == "io.accessoryd.Operator.SetupFailed")
    #expect(call.replies.last?.text("reason") == reason)
    let end = try #require(app.events.last)
    #expect(end.text("event") == "pickerFinished" && end.object("error")?.text("reason") == reason)
    #expect(scenario.harness.setupCore.registry.accessories.isEmpty)
  }

  @Test("An address that BlueZ does not know is left out when another item has its device")
  func leftOut() {
    let (scenario, app, anna, identifier) = Self.former()
    app.call("ShowPicker", #""items":[\#(Self.item(identifier)),\#(Self.item(Self.addressForm))]"#, wait: 1)
    anna.answer("Agree", wait: 1)
    #expect(
      app.events.suffix(4).map { $0.text("event") } == [
        "accessoryAdded", "migrationComplete", "pickerDidDismiss", "pickerFinished",
      ])
    #expect(scenario.harness.setupCore.registry.accessories.count == 1)
  }

  @Test("Questions about identifiers are limited, although each is refused")
  func pacedRefusals() {
    let scenario = SetupScenario(scene: [])
    let app = scenario.app()
    let errors = (0..<61).map { number in
      let identifier = String(number + 1_000_000) + String(repeating: "a", count: 25)
      return app.call("ShowPicker", #""items":[\#(Self.item(identifier))]"#).replies.last?.error
    }
    #expect(errors.dropLast().allSatisfy { $0 == "io.accessoryd.Session.InvalidRequest" })
    #expect(errors.last == "io.accessoryd.Session.PickerRestricted")
  }

  @Test("Another app does not learn that an identifier was in use")
  func otherApp() throws {
    let scenario = SetupScenario(.lightsAndGarden)
    let (app, garden, anna) = (scenario.app(), scenario.app("garden", user: 1001), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    let identifier = try #require(Self.bluetoothIdentifier(app))
    for isRemoved in [false, true] {
      if isRemoved { app.call("RemoveAccessory", about: app.accessory) }
      scenario.run(seconds: 1)
      let own = garden.call("ShowPicker", #""items":[\#(Self.item(identifier, id: "lamp"))]"#).replies.last
      let none = garden.call(
        "ShowPicker", #""items":[\#(Self.item("00112233445566778899aabbccddeeff", id: "lamp"))]"#
      ).replies.last
      #expect(own?.text("reason") == none?.text("reason") && own?.text("reason") != nil)
    }
  }

  @Test("An accessory that the app has is left out of a picker that has other items")
  func finished() {
    let (scenario, app, _) = SetupScenario.owning()
    let item = Self.item(Self.bluetoothIdentifier(app) ?? "")
    let unknown = Self.item("00112233445566778899aabbccddeeff")
    let reply = app.call("ShowPicker", #""items":[\#(item),\#(unknown),{"item":"bulb"}]"#).replies.last
    #expect(reply?.text("picker") != nil)
    // One line, whatever an app asks for.
    if let harness = scenario.harness as? AgentHarness {
      let counts = harness.notices.compactMap { notice in
        if case .setup(.migrationLeftOut(_, _, let count)) = notice { count } else { nil }
      }
      #expect(counts == [2])
    }
    let leftOut = String(describing: reply?["leftOut"])
    #expect(leftOut.contains("items[0].migrate.bluetoothIdentifier"))
    scenario.run(seconds: 1)
    #expect(scenario.lines.contains { $0.hasSuffix("lights: pickerDidPresent") })
  }

  @Test(
    "An accessory that the app has is not migrated; one whose item was renamed is, and keeps its identifier")
  func renamedItem() {
    let (scenario, app, anna) = SetupScenario.owning()
    let identifier = Self.bluetoothIdentifier(app) ?? ""
    let refusal = app.call("ShowPicker", #""items":[\#(Self.item(identifier))]"#).replies.last
    #expect(refusal?.text("reason") == #"the device is an accessory of the app already, "Lumo bulb""#)
    scenario.harness.reading = .accepted(
      AgentCore.Configuration(.lights { $0.id = "lamp" }, board: .attentive, access: .twoApps),
      radioSource: "h4:bench", warnings: [])
    #expect(Self.listedIdentifiers(anna).isEmpty)
    scenario.harness.readManifestAgain()
    scenario.run(seconds: 1)
    #expect(Self.listedIdentifiers(anna) == [identifier])
    _ = scenario.takeLines()
    app.call("ShowPicker", #""items":[\#(Self.item(identifier, id: "lamp"))]"#, wait: 1)
    anna.answer("Agree", wait: 1)
    #expect(
      scenario.text == """
        3.0 lights: pickerDidPresent
        3.0 anna: migrate lights answering adds Lumo bulb at C0:00:00:00:00:01, which the app had before
        3.0 lights: ShowPicker → done
        4.0 lights: accessoryRemoved a1 Lumo bulb unauthorized
        4.0 lights: accessoryAdded a2 Lumo bulb authorized
        4.0 lights: migrationComplete
        4.0 lights: pickerDidDismiss
        4.0 lights: pickerFinished
        4.0 anna: Agree → done
        4.1 anna: closed
        """)
    #expect(scenario.harness.setupCore.registry.accessories.map(\.bluetoothIdentifier?.text) == [identifier])
    #expect(Self.listedIdentifiers(anna).isEmpty)
  }

  @Test("Beside other items, operators are asked once the new accessory is set up")
  func mixed() {
    let (scenario, app, anna, identifier) = Self.former(scene: [.bulb(1), .bulb(2)])
    app.call("ShowPicker", #""items":[{"item":"bulb"},\#(Self.item(identifier))]"#, wait: 1)
    anna.answer("Agree")
    anna.choose(1, wait: 1)
    anna.choose(2)
    anna.answer("Name", #""name":"Hall""#)
    anna.answer("Agree", wait: 1)
    #expect(
      scenario.text == """
        3.0 lights: pickerDidPresent
        3.0 anna: setup lights choosing
        3.0 anna: candidate 1 Lumo bulb
        3.0 anna: candidate 2 Lumo bulb
        3.0 lights: ShowPicker → done
        4.0 anna: Agree → Invalid request
        4.0 lights: accessoryAdded a2 Lumo bulb authorized
        4.0 anna: Choose → a2 Lumo bulb
        4.1 anna: migrate lights answering adds Lumo bulb at C0:00:00:00:00:01, which the app had before
        4.1 anna: gone 1
        5.0 anna: Choose → Invalid request
        5.0 anna: Name → Invalid request
        5.0 lights: accessoryAdded a3 Lumo bulb 2 authorized
        5.0 lights: migrationComplete
        5.0 lights: pickerDidDismiss
        5.0 lights: pickerFinished
        5.0 anna: closed a2 Lumo bulb
        5.0 anna: Agree → done
        """)
  }

  @Test("A device that was set up in the same picker is not migrated again")
  func mixedWithSameDevice() {
    let (scenario, app, anna, identifier) = Self.former()
    app.call("ShowPicker", #""items":[{"item":"bulb"},\#(Self.item(identifier))]"#, wait: 1)
    anna.choose(wait: 1)
    _ = scenario.takeLines()
    anna.answer("Agree", wait: 1)
    #expect(
      scenario.text == """
        5.0 lights: migrationComplete
        5.0 lights: pickerDidDismiss
        5.0 lights: pickerFinished
        5.0 anna: closed a2 Lumo bulb
        5.0 anna: Agree → done
        """)
    #expect(scenario.harness.setupCore.registry.accessories.count == 1)
  }

  @Test("A denied, cancelled or unanswered migration changes nothing, and the app receives the reason")
  func notAgreed() {
    let (scenario, app, anna, identifier) = Self.former()
    app.call("ShowPicker", #""items":[\#(Self.item(identifier))]"#, wait: 1)
    anna.answer("Deny", wait: 1)
    app.call("ShowPicker", #""items":[\#(Self.item(identifier))]"#, wait: 1)
    app.call("CancelPicker", wait: 6)
    app.call("ShowPicker", #""items":[\#(Self.item(identifier))]"#, wait: 601)
    #expect(
      scenario.text == """
        3.0 lights: pickerDidPresent
        3.0 anna: migrate lights answering adds Lumo bulb at C0:00:00:00:00:01, which the app had before
        3.0 lights: ShowPicker → done
        4.0 lights: pickerDidDismiss
        4.0 lights: pickerFinished userRestricted
        4.0 anna: Deny → done
        4.1 anna: closed userRestricted
        5.0 lights: pickerDidPresent
        5.0 anna: migrate lights answering adds Lumo bulb at C0:00:00:00:00:01, which the app had before
        5.0 lights: ShowPicker → done
        6.0 lights: pickerDidDismiss
        6.0 lights: pickerFinished userCancelled
        6.0 lights: CancelPicker → done
        6.1 anna: closed userCancelled
        12.0 lights: pickerDidPresent
        12.0 anna: migrate lights answering adds Lumo bulb at C0:00:00:00:00:01, which the app had before
        12.0 lights: ShowPicker → done
        612.0 lights: pickerDidDismiss
        612.0 lights: pickerFinished userCancelled
        612.0 anna: closed userCancelled
        """)
    #expect(scenario.harness.setupCore.registry.accessories.isEmpty)
    #expect(scenario.harness.setupCore.registry.formers.count == 1)
  }

  @Test("A migration that does not fit adds nothing, and app and operator receive the reason")
  func full() {
    let (scenario, app, anna) = SetupScenario.owning(
      .lights { $0.maxAccessories = 1 }, scene: [.bulb(1)])
    scenario.harness.knownDevices = KnownDevices([Self.bulb])
    app.call("ShowPicker", #""items":[\#(Self.item(Self.addressForm))]"#, wait: 1)
    anna.answer("Agree", wait: 1)
    #expect(
      scenario.text == """
        2.0 lights: pickerDidPresent
        2.0 anna: migrate lights answering adds Lumo bulb at C4:A1:00:00:1E:27, if BlueZ knows it
        2.0 lights: ShowPicker → done
        3.0 lights: pickerSetupFailed userRestricted
        3.0 lights: pickerDidDismiss
        3.0 lights: pickerFinished userRestricted
        3.0 anna: Agree → SetupFailed userRestricted
        3.1 anna: closed userRestricted
        """)
    #expect(scenario.harness.setupCore.registry.accessories.count == 1)
  }

  @Test(
    "Where the item demands an authenticated bond, a device is refused whose bond is not known to be one, or that has none",
    arguments: [true, false])
  func demandedBond(isBonded: Bool) throws {
    let bench = BondedBench(.none, runsBluetoothd: true) { manifest in
      manifest.apps[0].items[0].pairing = .authenticated
      manifest.apps[0].items[0].descriptor.supportedOptions = .bluetoothPairingLE
    }
    let before = bench.harness.registry.saved
    bench.harness.knownDevices = KnownDevices([Self.bulb], bonded: isBonded ? [Self.bulb] : [])
    bench.app.call("ShowPicker", #""items":[\#(Self.item(Self.addressForm))]"#, wait: 1)
    let call = bench.anna.answer("Agree", wait: 1)
    let reply = try #require(call.replies.last)
    #expect(reply.error == "io.accessoryd.Operator.SetupFailed")
    let reason = isBonded ? "bluetoothd does not say" : "the device that is to be migrated has none"
    #expect(reply.text("reason")?.contains(reason) == true)
    #expect(bench.harness.registry.saved == before)
    #expect(bench.app.events.last?.text("event") == "pickerFinished")
  }
}
