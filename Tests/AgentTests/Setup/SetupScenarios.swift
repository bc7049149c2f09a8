// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Registry
import Testing

@Suite("Setups from a choice to an accessory", .overEveryTransport)
struct SetupScenarios {
  // MARK: - confirmAuthorization

  @Test("An accessory that its app has to confirm awaits it, and is authorized")
  func confirmed() {
    let (scenario, app, anna) = SetupScenario.choosing { $0.setupOptions = .confirmAuthorization }
    anna.choose(wait: 100)
    app.call("Resolve", about: app.accessory)
    app.call("CancelPicker")
    app.call("FinishAuthorization", about: app.accessory, wait: 1)
    app.call("FinishAuthorization", about: app.accessory)
    app.call("FailAuthorization", about: app.accessory)
    #expect(
      scenario.text == """
        1.0 lights: accessoryAdded a1 Lumo bulb awaitingAuthorization
        1.0 anna: setup lights confirming Lumo bulb
        1.0 anna: gone 1
        1.0 anna: Choose → a1 Lumo bulb awaits its app
        101.0 lights: Resolve → C0:00:00:00:00:01
        101.0 lights: CancelPicker → InvalidRequest session
        101.0 lights: accessoryChanged a1 Lumo bulb authorized (state)
        101.0 lights: pickerDidDismiss
        101.0 lights: pickerFinished
        101.0 lights: FinishAuthorization → a1 Lumo bulb authorized
        101.1 anna: closed a1 Lumo bulb
        102.0 lights: FinishAuthorization → InvalidRequest accessory
        102.0 lights: FailAuthorization → InvalidRequest accessory
        """)
  }

  @Test("An accessory that the app gives back can be chosen again")
  func givenBack() {
    let (scenario, app, _) = SetupScenario.confirming()
    app.call("FailAuthorization", about: app.accessory, wait: 1)
    app.call("ShowPicker", wait: 1)
    #expect(
      scenario.text == """
        2.0 lights: accessoryRemoved a1 Lumo bulb awaitingAuthorization
        2.0 lights: pickerSetupFailed userCancelled
        2.0 lights: pickerDidDismiss
        2.0 lights: pickerFinished userCancelled
        2.0 lights: FailAuthorization → done
        2.1 anna: closed userCancelled
        3.0 lights: pickerDidPresent
        3.0 anna: setup lights choosing
        3.0 anna: candidate 1 Lumo bulb
        3.0 lights: ShowPicker → done
        """)
  }

  @Test("An unconfirmed accessory is taken back after two minutes, whether its client is connected or not")
  func notConfirmed() {
    let (scenario, app, _) = SetupScenario.confirming()
    app.hangUp()
    scenario.run(seconds: 60)
    let second = scenario.app(as: "lights again")
    scenario.run(seconds: 61)
    second.call("List")
    #expect(
      scenario.text == """
        62.0 lights again: activated, a1 Lumo bulb awaitingAuthorization
        121.0 lights again: accessoryRemoved a1 Lumo bulb awaitingAuthorization
        121.0 anna: setup lights settingUp Lumo bulb
        121.1 anna: closed userCancelled
        123.0 lights again: List → done
        """)
  }

  @Test("Another session may confirm an accessory after the one that asked has ended")
  func confirmedByAnother() {
    let (scenario, app, _) = SetupScenario.confirming()
    app.hangUp()
    scenario.run(seconds: 30)
    let second = scenario.app(as: "lights again")
    second.call("FinishAuthorization", about: app.accessory, wait: 100)
    second.call("List")
    #expect(
      scenario.text == """
        32.0 lights again: activated, a1 Lumo bulb awaitingAuthorization
        32.0 lights again: accessoryChanged a1 Lumo bulb authorized (state)
        32.0 lights again: FinishAuthorization → a1 Lumo bulb authorized
        32.1 anna: closed a1 Lumo bulb
        132.0 lights again: List → a1 Lumo bulb authorized
        132.0 lights again: List → done
        """)
  }

  @Test("A restart before the confirmation takes the accessory back, which a client with a cursor learns")
  func restart() {
    let (scenario, app, anna) = SetupScenario.choosing { $0.setupOptions = .confirmAuthorization }
    anna.choose(wait: 1)
    #expect(app.accessory != "")
    let manifest = GatewayManifest.lights { $0.setupOptions = .confirmAuthorization }
    let after = SetupScenario(
      manifest, scene: [.bulb(1)], registry: StandInRegistryFile(scenario.harness.registry.saved), run: 2)
    let again = after.app()
    again.call("List")
    let returning = after.app(as: "lights again")
    returning.hangUp()
    returning.activate(#""app":"lights","epoch":"\#(app.epoch)","sequence":\#(app.sequence)"#)
    after.run(seconds: 0.1)
    #expect(
      after.text == """
        0.0 lights: activated
        0.0 lights: List → done
        0.0 lights again: activated
        0.1 lights again: reset
        0.1 lights again: activated
        0.1 lights again: accessoryRemoved a1 Lumo bulb awaitingAuthorization
        0.1 lights again: pickerSetupFailed userCancelled
        0.1 lights again: pickerDidDismiss
        0.1 lights again: pickerFinished userCancelled
        """)
    #expect(after.harness.registry.saved.accessories.isEmpty)
  }

  @Test("Removing an accessory that awaits its app ends the picker")
  func removedMeanwhile() {
    let (scenario, app, anna) = SetupScenario.confirming()
    anna.call("Remove", #""accessory":"\#(app.accessory)""#, wait: 130)
    #expect(
      scenario.text == """
        2.0 lights: accessoryRemoved a1 Lumo bulb awaitingAuthorization
        2.0 lights: pickerSetupFailed userCancelled
        2.0 lights: pickerDidDismiss
        2.0 lights: pickerFinished userCancelled
        2.0 anna: Remove → done
        2.1 anna: closed userCancelled
        """)
  }

  @Test("A removal that the disk did not write is tried again half a minute later")
  func removedLater() {
    let (scenario, app, _) = SetupScenario.confirming()
    scenario.harness.registry.replies = [.failed(.full, isOpen: true)]
    app.call("RemoveAccessory", about: app.accessory, wait: 31)
    #expect(
      scenario.text == """
        2.0 lights: RemoveAccessory → Unknown
        32.0 lights: accessoryRemoved a1 Lumo bulb awaitingAuthorization
        32.0 lights: pickerSetupFailed userCancelled
        32.0 lights: pickerDidDismiss
        32.0 lights: pickerFinished userCancelled
        32.0 anna: setup lights settingUp Lumo bulb
        32.1 anna: closed userCancelled
        """)
  }

  @Test("The time to confirm does not run out while the disk writes the confirmation")
  func slowConfirmation() {
    let (scenario, app, anna) = SetupScenario.choosing { $0.setupOptions = .confirmAuthorization }
    anna.choose(wait: 119)
    scenario.harness.registry.isHeld = true
    app.call("FinishAuthorization", about: app.accessory, wait: 5)
    scenario.harness.releaseRegistry()
    #expect(
      scenario.text(after: 1) == """
        1.0 lights: accessoryAdded a1 Lumo bulb awaitingAuthorization
        1.0 anna: setup lights confirming Lumo bulb
        1.0 anna: gone 1
        1.0 anna: Choose → a1 Lumo bulb awaits its app
        125.1 lights: accessoryChanged a1 Lumo bulb authorized (state)
        125.1 lights: pickerDidDismiss
        125.1 lights: pickerFinished
        125.1 anna: closed a1 Lumo bulb
        125.1 lights: FinishAuthorization → a1 Lumo bulb authorized
        """)
  }

  @Test("An operator's denial takes the accessory back")
  func deniedMeanwhile() {
    let (scenario, _, anna) = SetupScenario.confirming()
    anna.answer("Deny", wait: 1)
    #expect(
      scenario.text == """
        2.0 lights: accessoryRemoved a1 Lumo bulb awaitingAuthorization
        2.0 lights: pickerSetupFailed userRestricted
        2.0 lights: pickerDidDismiss
        2.0 lights: pickerFinished userRestricted
        2.0 anna: Deny → done
        2.1 anna: closed userRestricted
        """)
  }

  // MARK: - rename and finishInApp

  @Test("An operator gives a name with the choice")
  func nameInChoice() {
    let (scenario, _, anna) = SetupScenario.choosing { $0.setupOptions = [.rename, .finishInApp] }
    anna.choose(1, #""name":"Hall""#, wait: 1)
    #expect(
      scenario.text == """
        1.0 lights: pickerSetupRename
        1.0 lights: accessoryAdded a1 Hall authorized
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Hall
        1.0 anna: Choose → a1 Hall continues in the app
        """)
  }

  @Test("An operator gives a name after the choice")
  func nameAfterwards() {
    let (scenario, _, anna) = SetupScenario.choosing { $0.setupOptions = .rename }
    anna.choose(wait: 10)
    anna.answer("Name", #""name":" ""#)
    anna.answer("Name", #""name":"Hall""#, wait: 1)
    #expect(
      scenario.text == """
        1.0 lights: pickerSetupRename
        1.0 anna: setup lights naming Lumo bulb
        11.0 anna: Name → Invalid name
        11.0 lights: accessoryAdded a1 Hall authorized
        11.0 lights: pickerDidDismiss
        11.0 lights: pickerFinished
        11.0 anna: Choose → a1 Hall
        11.0 anna: Name → done
        11.1 anna: closed a1 Hall
        """)
  }

  @Test("An accessory that is not named within a minute gets its item's name")
  func unnamed() {
    let (scenario, _, anna) = SetupScenario.choosing { $0.setupOptions = .rename }
    anna.choose(wait: 61)
    #expect(
      scenario.text == """
        1.0 lights: pickerSetupRename
        1.0 anna: setup lights naming Lumo bulb
        61.0 lights: accessoryAdded a1 Lumo bulb authorized
        61.0 lights: pickerDidDismiss
        61.0 lights: pickerFinished
        61.0 anna: setup lights settingUp Lumo bulb
        61.0 anna: Choose → a1 Lumo bulb
        61.1 anna: closed a1 Lumo bulb
        """)
  }

  @Test("The app closes the picker while an operator types a name")
  func closedWhileNaming() {
    let (scenario, app, anna) = SetupScenario.choosing { $0.setupOptions = .rename }
    anna.choose(wait: 1)
    app.call("CancelPicker", wait: 1)
    app.call("List")
    #expect(
      scenario.text == """
        1.0 lights: pickerSetupRename
        1.0 anna: setup lights naming Lumo bulb
        2.0 lights: pickerDidDismiss
        2.0 lights: pickerFinished userCancelled
        2.0 anna: Choose → SetupFailed userCancelled
        2.0 lights: CancelPicker → done
        2.1 anna: closed userCancelled
        3.0 lights: List → done
        """)
  }

  // MARK: - Networks

  @Test("A network known by its prefix awaits its full name")
  func networkPrefix() {
    let (scenario, app, _) = SetupScenario.confirming { $0.descriptor.ssidPrefix = Array("Lumo-".utf8) }
    app.call("FinishAuthorization", about: app.accessory)
    app.call("FinishAuthorization", about: app.accessory, #""ssid":"Other-7""#)
    app.call("FinishAuthorization", about: app.accessory, #""ssid":"Lumo-7""#, wait: 1)
    #expect(
      scenario.text == """
        2.0 lights: FinishAuthorization → InvalidRequest ssid
        2.0 lights: FinishAuthorization → InvalidRequest ssid
        2.0 lights: accessoryChanged a1 Lumo bulb authorized Lumo-7 (state ssid)
        2.0 lights: pickerDidDismiss
        2.0 lights: pickerFinished
        2.0 lights: FinishAuthorization → a1 Lumo bulb authorized Lumo-7
        2.1 anna: closed a1 Lumo bulb
        """)
  }

  @Test("With the option for networks, the network's stored name is the typed name")
  func renamedNetwork() {
    func choosing() -> (SetupScenario, ScenarioApp, ScenarioOperator) {
      SetupScenario.choosing {
        $0.descriptor.ssidPrefix = Array("Lumo-".utf8)
        ($0.setupOptions, $0.renameOptions) = (.rename, .ssid)
      }
    }
    let (named, _, anna) = choosing()
    anna.choose(1, #""name":"Hall""#)
    anna.choose(1, #""name":"Lumo-, a name of more than 32 bytes""#)
    anna.choose(1, #""name":"Lumo-hall""#)
    named.run(seconds: 1)
    #expect(
      named.text == """
        1.0 anna: Choose → Invalid name
        1.0 anna: Choose → Invalid name
        1.0 lights: pickerSetupRename
        1.0 lights: accessoryAdded a1 Lumo-hall authorized Lumo-hall
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Lumo-hall
        1.0 anna: Choose → a1 Lumo-hall
        """)
    let (answered, _, ben) = choosing()
    ben.choose(1, #""ssid":"Lumo-7""#)
    answered.run(seconds: 1)
    ben.answer("Name", #""name":"Hall""#)
    ben.answer("Name", #""name":"Lumo-hall""#)
    answered.run(seconds: 1)
    #expect(answered.text.contains("2.0 anna: Name → Invalid name"))
    #expect(answered.text.contains("accessoryAdded a1 Lumo-hall authorized Lumo-hall"))
  }

  @Test("An operator can give the full name with the choice")
  func networkInChoice() {
    let (scenario, _, anna) = SetupScenario.choosing { $0.descriptor.ssidPrefix = Array("Lumo-".utf8) }
    anna.choose(1, #""ssid":"Other""#)
    anna.choose(1, #""ssid":"Lumo-8""#, wait: 1)
    #expect(
      scenario.text == """
        1.0 anna: Choose → Invalid ssid
        1.0 lights: accessoryAdded a1 Lumo bulb authorized Lumo-8
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Lumo bulb
        1.0 anna: Choose → a1 Lumo bulb
        """)
  }
}
