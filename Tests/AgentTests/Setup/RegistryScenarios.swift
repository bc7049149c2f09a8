// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Manifest
import Registry
import RegistrySupport
import Setup
import Testing
import Varlink

@Suite("Apps and operators when the registry's file fails", .overEveryTransport)
struct RegistryScenarios {
  @Test("A removed device that has only a network is allowed by its name as the registry prints it")
  func allowedNetwork() throws {
    var registry = AccessoryRegistry()
    guard case .add(var camera) = Rows.networkAddition(1, app: "lights") else { return }
    camera.item = "camera"
    try registry.apply(.add(camera))
    try registry.apply(.remove(Rows.identifier(2), leavesTombstone: true))
    let scenario = SetupScenario(registry: StandInRegistryFile(registry))
    let anna = scenario.watcher()
    anna.call("Allow", #""app":"lights","device":"Cam-1""#)
    // The name's last byte is not UTF-8.
    anna.call("Allow", #""app":"lights","device":"Cam-1\#u{FFFD}""#)
    anna.call("Allow", #""app":"lights","device":"Cam-1\#u{FFFD}""#, wait: 1)
    #expect(
      scenario.text == """
        0.0 anna: Allow → NotFound device Cam-1
        0.0 anna: Allow → done
        0.0 anna: Allow → NotFound device Cam-1\u{FFFD}
        """)
  }

  @Test("A full disk fails the setup; nothing is added partly, and the device is offered again")
  func failingAdd() {
    let (scenario, app, anna) = SetupScenario.choosing()
    scenario.harness.registry.replies = [.failed(.full, isOpen: true)]
    anna.choose(wait: 1)
    app.call("List")
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    #expect(
      scenario.text == """
        1.0 lights: pickerSetupFailed unknown
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished unknown
        1.0 anna: closed unknown
        1.0 anna: Choose → SetupFailed unknown
        2.0 lights: List → done
        2.0 lights: pickerDidPresent
        2.0 anna: setup lights choosing
        2.0 anna: candidate 1 Lumo bulb
        2.0 lights: ShowPicker → done
        3.0 lights: accessoryAdded a1 Lumo bulb authorized
        3.0 lights: pickerDidDismiss
        3.0 lights: pickerFinished
        3.0 anna: Choose → a1 Lumo bulb
        3.1 anna: closed a1 Lumo bulb
        """)
  }

  @Test(
    "A disk that fails to write is a problem in status until a write succeeds",
    arguments: [.full, .readOnly, .locked, .disk(RegistryStoreErrorCode(code: 10, reason: "disk I/O error"))]
      as [RegistryStoreError])
  func problem(failure: RegistryStoreError) throws {
    let (scenario, app, anna) = SetupScenario.choosing()
    #expect(problems(scenario).isEmpty)
    scenario.harness.registry.replies = [.failed(failure, isOpen: failure.leavesOpen)]
    let choice = anna.choose(wait: 1)
    for cure in [choice.replies.first?.text("cure"), app.events.last?.object("error")?.text("cure")] {
      #expect(cure == "ask the gateway's operator to see accessoryctl status")
    }
    app.call("ShowPicker", wait: 60)
    let problems = problems(scenario)
    #expect(problems.compactMap { $0.text("kind") } == ["registryNotWritten"])
    #expect(problems.first?.text("sentence")?.contains(failure.sentence) == true)
    anna.choose(wait: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
    #expect(self.problems(scenario).isEmpty)
  }

  private func problems(_ scenario: SetupScenario) -> [JSONObject] {
    scenario.status()?.objects("problems") ?? []
  }

  @Test("Calls wait for a disk that does not reply, and end at their deadline")
  func heldDisk() {
    let (scenario, app, anna) = SetupScenario.choosing()
    anna.choose(wait: 1)
    scenario.harness.registry.isHeld = true
    app.call("RemoveAccessory", about: app.accessory, wait: 31)
    app.call("List")
    scenario.harness.releaseRegistry()
    scenario.run(seconds: 1)
    app.call("List")
    #expect(
      scenario.text == """
        1.0 lights: accessoryAdded a1 Lumo bulb authorized
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Lumo bulb
        1.0 anna: Choose → a1 Lumo bulb
        32.0 lights: RemoveAccessory → Unknown
        33.0 lights: List → a1 Lumo bulb authorized
        33.0 lights: List → done
        33.1 lights: accessoryRemoved a1 Lumo bulb authorized
        34.0 lights: List → done
        """)
  }

  @Test(
    "A disk that does not reply is a problem after 5 s, and the reply says that the change may still be made")
  func hangingDisk() {
    let (scenario, app, anna) = SetupScenario.choosing()
    anna.choose(wait: 1)
    scenario.harness.registry.isHeld = true
    let removal = app.call("RemoveAccessory", about: app.accessory, wait: 4.9)
    #expect(problems(scenario).isEmpty)
    scenario.run(seconds: 26.1)
    #expect(removal.replies.last?.text("reason")?.contains("the change may still be made") == true)
    #expect(problems(scenario).map { $0.text("kind") } == ["registryNotWritten"])
    #expect(
      problems(scenario).first?.text("sentence")?.hasPrefix("the disk has not answered for 31 s:") == true)
    scenario.harness.releaseRegistry()
    #expect(problems(scenario).isEmpty)
  }

  @Test("Calls that arrive while the file is being read wait for it")
  func deferred() {
    var registry = StandInRegistryFile()
    registry.isHeld = true
    let scenario = SetupScenario(.lights { _ in }, registry: registry)
    let (app, anna) = (scenario.app(), scenario.watcher())
    anna.call("List", wait: 3)
    scenario.harness.releaseRegistry()
    scenario.run(seconds: 1)
    app.call("ShowPicker")
    #expect(
      scenario.text == """
        3.1 lights: activated
        3.1 anna: List → done
        4.0 lights: pickerDidPresent
        4.0 anna: setup lights choosing
        4.0 anna: candidate 1 Lumo bulb
        4.0 lights: ShowPicker → done
        """)
  }

  @Test("Calls that wait for the file end after 30 s")
  func deferredTooLong() {
    var registry = StandInRegistryFile()
    registry.isHeld = true
    let scenario = SetupScenario(.lights { _ in }, registry: registry)
    scenario.app()
    let anna = scenario.watcher()
    anna.call("List", wait: 31)
    #expect(
      scenario.text == """
        30.0 lights: Unknown
        30.0 anna: List → RegistryUnavailable
        """)
  }

  @Test("Without its file nothing is granted or removed, and every caller gets an error")
  func degraded() {
    var registry = StandInRegistryFile()
    registry.replies = [.refused(.otherApplication(applicationID: 1))]
    let scenario = SetupScenario(.lights { _ in }, registry: registry)
    let (app, anna) = (scenario.app(), scenario.watcher())
    anna.call("Registry")
    anna.call("List")
    anna.call("List", #""app":"lights""#)
    anna.call("Open", #""app":"lights""#)
    anna.call("Rename", #""accessory":"a1","name":"Hall""#)
    anna.call("Remove", #""accessory":"a1""#)
    anna.call("Allow", #""app":"lights","device":"C0:00:00:00:00:01""#)
    anna.call("Reset")
    anna.call("Registry")
    app.activate()
    app.collect()
    app.call("ShowPicker", wait: 1)
    #expect(
      scenario.text == """
        0.0 lights: Unknown
        0.0 anna: Registry → 0 accessories degraded
        0.0 anna: Registry → done
        0.0 anna: List → RegistryUnavailable
        0.0 anna: List → RegistryUnavailable
        0.0 anna: Open → RegistryUnavailable
        0.0 anna: Rename → RegistryUnavailable
        0.0 anna: Remove → RegistryUnavailable
        0.0 anna: Allow → RegistryUnavailable
        0.0 anna: Reset → done
        0.0 anna: Registry → 0 accessories open
        0.0 anna: Registry → done
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights choosing
        0.1 anna: candidate 1 Lumo bulb
        """)
  }

  @Test("A file that can only be read is served, and opened again every 30 s until it can be changed")
  func readable() throws {
    var saved = AccessoryRegistry()
    try saved.apply(Rows.addition(1))
    guard case .add(var camera) = Rows.networkAddition(2, app: "lights") else { return }
    camera.account = .user(1000)
    try saved.apply(.add(camera))
    var registry = StandInRegistryFile(saved)
    registry.replies = [.readable(saved, .readOnly), .readable(saved, .readOnly)]
    let scenario = SetupScenario(registry: registry)
    let app = scenario.app()
    app.call("List")
    app.call("RemoveAccessory", about: Rows.identifier(2).text)
    #expect(problems(scenario).compactMap { $0.text("kind") } == ["registryDegraded"])
    scenario.run(seconds: 27)
    app.call("RemoveAccessory", about: Rows.identifier(2).text)
    #expect(scenario.text.contains("lights: List → a1 Lumo 1 authorized\n"))
    #expect(!scenario.text.contains("accessoryRemoved"))
    scenario.run(seconds: 33)
    #expect(problems(scenario).isEmpty)
    // An accessory that awaited its app when the run before ended is taken back once the file can be changed.
    #expect(scenario.text.contains("accessoryRemoved a2 Camera 2"))
    app.call("RemoveAccessory", about: Rows.identifier(2).text, wait: 1)
    let outcomes = scenario.lines.compactMap { line in
      line.firstRange(of: "RemoveAccessory → ").map { String(line[$0.upperBound...]) }
    }
    #expect(outcomes == ["Unknown", "Unknown", "done"])
    #expect(scenario.text.contains("accessoryRemoved a1 Lumo 1"))
  }

  @Test("A file that a reload has read again is not due any more when the 30 s are over")
  func readAgainBeforeItsTime() {
    var registry = StandInRegistryFile()
    registry.replies = [.readable(AccessoryRegistry(), .readOnly)]
    let scenario = SetupScenario(registry: registry)
    scenario.run(seconds: 10)
    let configuration = AgentCore.Configuration(.lights, access: .twoApps)
    scenario.harness.reading = .accepted(configuration, radioSource: "h4:controller", warnings: [])
    scenario.harness.readManifestAgain()
    scenario.run(seconds: 30)
    #expect(problems(scenario).isEmpty)
    #expect(scenario.harness.registry.requests.count { if case .open = $0 { true } else { false } } == 2)
  }

  @Test("An accessory that awaits its app stays when the file is read again after a reset")
  func resetThenReadAgain() throws {
    var registry = StandInRegistryFile()
    registry.replies = [.refused(.otherApplication(applicationID: 1))]
    let scenario = SetupScenario(.lights { $0.setupOptions = .confirmAuthorization }, registry: registry)
    let anna = scenario.watcher()
    anna.call("Reset")
    let app = scenario.app()
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    scenario.harness.registry.replies = [
      .failed(.disk(RegistryStoreErrorCode(code: 10, reason: "disk I/O error")), isOpen: false),
      .opened(scenario.harness.registry.saved),
    ]
    anna.call("Rename", #""accessory":"\#(app.accessory)","name":"Hall""#, wait: 1)
    app.call("List")
    #expect(
      scenario.text == """
        0.0 anna: Reset → done
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights choosing
        0.1 anna: candidate 1 Lumo bulb
        1.0 lights: accessoryAdded a1 Lumo bulb awaitingAuthorization
        1.0 anna: setup lights confirming Lumo bulb
        1.0 anna: gone 1
        1.0 anna: Choose → a1 Lumo bulb awaits its app
        2.0 anna: Rename → RegistryUnavailable
        3.0 lights: List → a1 Lumo bulb awaitingAuthorization
        3.0 lights: List → done
        """)
  }

  @Test("When the open file breaks, the registry can be read but not changed")
  func degradedLater() {
    let (scenario, app, anna) = SetupScenario.choosing()
    anna.choose(wait: 1)
    scenario.harness.registry.replies = [
      .failed(.disk(RegistryStoreErrorCode(code: 10, reason: "disk I/O error")), isOpen: false),
      .refused(.otherApplication(applicationID: 1)),
    ]
    app.call("RemoveAccessory", about: app.accessory)
    app.call("RemoveAccessory", about: app.accessory)
    app.call("ShowPicker")
    app.call("List")
    anna.call("Remove", #""accessory":"\#(app.accessory)""#)
    anna.call("List")
    let second = scenario.app(as: "lights again")
    second.call("RenameAccessory", about: app.accessory, wait: 1)
    #expect(
      scenario.text == """
        1.0 lights: accessoryAdded a1 Lumo bulb authorized
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Lumo bulb
        1.0 anna: Choose → a1 Lumo bulb
        2.0 lights: RemoveAccessory → Unknown
        2.0 lights: RemoveAccessory → Unknown
        2.0 lights: ShowPicker → Unknown
        2.0 lights: List → a1 Lumo bulb authorized
        2.0 lights: List → done
        2.0 anna: Remove → RegistryUnavailable
        2.0 anna: List → a1 Lumo bulb authorized
        2.0 anna: List → done
        2.0 lights again: activated, a1 Lumo bulb authorized
        2.0 lights again: RenameAccessory → Unknown
        """)
  }

  @Test(
    "A picker succeeds when the file, read again, has the confirmation of its app",
    .inMemoryAlone("the turn in which a watcher sees it depends on the thread that reads the file"))
  func confirmedInFile() throws {
    let manifest = GatewayManifest.lights { $0.setupOptions = .confirmAuthorization }
    let (scenario, app, _) = SetupScenario.owning(manifest)
    var registry = scenario.harness.registry.saved
    let identifier = try #require(registry.accessories.first).identifier
    _ = try registry.apply(.authorize(identifier, ssid: nil, bridgingIdentifier: nil))
    scenario.harness.registry.replies = [
      .failed(.disk(RegistryStoreErrorCode(code: 10, reason: "disk I/O error")), isOpen: false),
      .refused(.failed(.readOnly)), .opened(registry),
    ]
    app.call("FinishAuthorization", about: app.accessory, wait: 1)
    let configuration = AgentCore.Configuration(manifest, access: .twoApps)
    scenario.harness.reading = .accepted(configuration, radioSource: "h4:controller", warnings: [])
    scenario.harness.readManifestAgain()
    #expect(
      scenario.text(after: 1) == """
        2.0 lights: FinishAuthorization → Unknown
        3.1 lights: accessoryChanged a1 Lumo bulb authorized (state)
        3.1 lights: pickerDidDismiss
        3.1 lights: pickerFinished
        3.1 anna: closed a1 Lumo bulb
        """)
  }
}
