// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Setup
import Testing
import VirtualRadio

@Suite("Decisions of operators about pickers", .overEveryTransport)
struct PickerChoiceScenarios {
  @Test(
    "A watching operator that does not read does not keep the agent busy, and gets the latest state afterwards",
    .inMemoryAlone("the kernel buffers what would fill the agent's buffer"))
  func slowWatcher() throws {
    let scenario = SetupScenario(.lights { _ in }, scene: (1...20).map { .bulb($0) })
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    let stream = try #require(anna.stream)
    stream.readableByteCount = 0
    scenario.run(seconds: 60)
    // More was sent to it than fits into its buffer.
    let deadline = scenario.harness.nextTime
    #expect(try #require(deadline) > scenario.harness.now)
    let before = stream.replies.count
    stream.readableByteCount = .max
    scenario.run(seconds: 1)
    #expect(stream.replies.count > before + 100)
  }

  @Test("From ShowPicker to an accessory")
  func choice() {
    let scenario = SetupScenario(.lights { _ in })
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    app.call("List")
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights choosing
        0.1 anna: candidate 1 Lumo bulb
        1.0 lights: accessoryAdded a1 Lumo bulb authorized
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Lumo bulb
        1.0 anna: Choose → a1 Lumo bulb
        2.0 lights: List → a1 Lumo bulb authorized
        2.0 lights: List → done
        """)
  }

  @Test("A denial ends the picker with userRestricted")
  func denial() {
    let (scenario, _, anna) = SetupScenario.choosing()
    anna.answer("Deny", wait: 1)
    #expect(
      scenario.text == """
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished userRestricted
        1.0 anna: closed userRestricted
        1.0 anna: Deny → done
        """)
  }

  @Test("An operator's cancel ends the picker with userCancelled; the app may not ask again for 5 s")
  func cancelByOperator() {
    let (scenario, app, anna) = SetupScenario.choosing()
    anna.answer("Cancel")
    app.call("ShowPicker", wait: 4.9)
    app.call("ShowPicker", wait: 0.2)
    app.call("ShowPicker")
    #expect(
      scenario.text == """
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished userCancelled
        1.0 anna: closed userCancelled
        1.0 anna: Cancel → done
        1.0 lights: ShowPicker → PickerRestricted
        5.9 lights: ShowPicker → PickerRestricted
        6.1 lights: pickerDidPresent
        6.1 anna: setup lights choosing
        6.1 anna: candidate 1 Lumo bulb
        6.1 lights: ShowPicker → done
        """)
  }

  @Test("The app's own cancel ends the picker with userCancelled too")
  func cancelByApp() {
    let (scenario, app, _) = SetupScenario.choosing()
    app.call("CancelPicker")
    app.call("CancelPicker")
    app.call("ShowPicker", wait: 0.1)
    #expect(
      scenario.text == """
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished userCancelled
        1.0 anna: closed userCancelled
        1.0 lights: CancelPicker → done
        1.0 lights: CancelPicker → InvalidRequest session
        1.0 lights: pickerDidPresent
        1.0 lights: ShowPicker → done
        1.1 anna: setup lights choosing
        1.1 anna: candidate 1 Lumo bulb
        """)
  }

  @Test("A picker without a choice for ten minutes ends with userCancelled")
  func idle() {
    // Ten minutes of a bulb that advertises rarely.
    var bulb = SceneDevice.bulb(1)
    bulb.intervalMilliseconds = 1000
    let (scenario, _, _) = SetupScenario.choosing(scene: [bulb])
    #expect(
      scenario.text(after: 610) == """
        600.0 lights: pickerDidDismiss
        600.0 lights: pickerFinished userCancelled
        600.0 anna: closed userCancelled
        """)
  }

  @Test("A second request of the app is refused while one is open; another app's is not")
  func oneAtATime() {
    let scenario = SetupScenario(.lightsAndGarden)
    let app = scenario.app()
    let second = scenario.app(as: "lights again")
    let garden = scenario.app("garden", user: 1001)
    app.call("ShowPicker")
    app.call("ShowPicker")
    second.call("ShowPicker")
    garden.call("ShowPicker")
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights again: activated
        0.0 garden: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.0 lights: ShowPicker → PickerAlreadyActive
        0.0 lights again: ShowPicker → PickerAlreadyActive
        0.0 garden: pickerDidPresent
        0.0 garden: ShowPicker → done
        """)
  }

  @Test("After five pickers in a minute that ended without an accessory the next is refused")
  func pace() {
    let scenario = SetupScenario(.lights { _ in }, scene: [])
    let (app, anna) = (scenario.app(), scenario.watcher())
    for _ in 0..<5 {
      app.call("ShowPicker", wait: 0.2)
      anna.answer("Deny", wait: 0.2)
    }
    _ = scenario.takeLines()
    app.call("ShowPicker", wait: 57.9)
    app.call("ShowPicker", wait: 0.4)
    app.call("ShowPicker")
    #expect(
      scenario.text == """
        2.0 lights: ShowPicker → PickerRestricted
        59.9 lights: ShowPicker → PickerRestricted
        60.3 lights: pickerDidPresent
        60.3 anna: setup lights looking
        60.3 lights: ShowPicker → done
        """)
  }

  @Test("Of two operators who choose, one wins and the other gets RequestClosed")
  func twoOperators() {
    let (scenario, _, anna) = SetupScenario.choosing()
    let ben = scenario.watcher("ben")
    scenario.skip(seconds: 0.1)
    scenario.harness.registry.isHeld = true
    anna.choose()
    ben.choose(wait: 1)
    scenario.harness.releaseRegistry()
    scenario.run(seconds: 1)
    ben.choose()
    #expect(
      scenario.text == """
        1.1 anna: setup lights settingUp Lumo bulb
        1.1 ben: setup lights settingUp Lumo bulb
        1.1 ben: Choose → RequestClosed
        2.2 lights: accessoryAdded a1 Lumo bulb authorized
        2.2 lights: pickerDidDismiss
        2.2 lights: pickerFinished
        2.2 anna: closed a1 Lumo bulb
        2.2 ben: closed a1 Lumo bulb
        2.2 anna: Choose → a1 Lumo bulb
        3.1 ben: Choose → RequestClosed
        """)
  }

  @Test("Only candidates can be chosen, and only what the request waits for is accepted")
  func refusals() {
    let (scenario, _, anna) = SetupScenario.choosing()
    anna.choose(7)
    anna.choose(1, #""name":" ""#)
    anna.choose(1, #""ssid":"Hall""#)
    anna.call("Choose", #""request":"00","candidate":1"#)
    anna.answer("Name", #""name":"Hall""#)
    anna.answer("Agree")
    anna.choose()
    #expect(
      scenario.text == """
        1.0 anna: Choose → NotFound candidate 7
        1.0 anna: Choose → Invalid name
        1.0 anna: Choose → Invalid ssid
        1.0 anna: Choose → RequestClosed
        1.0 anna: Name → Invalid request
        1.0 anna: Agree → Invalid request
        1.0 lights: accessoryAdded a1 Lumo bulb authorized
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Lumo bulb
        1.0 anna: Choose → a1 Lumo bulb
        """)
  }

  @Test("An operator may name every accessory; rename decides only whether setup asks")
  func namesWithoutAsking() {
    let (scenario, _, anna) = SetupScenario.choosing()
    anna.choose(1, #""name":"Hall""#, wait: 1)
    #expect(
      scenario.text == """
        1.0 lights: accessoryAdded a1 Hall authorized
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Hall
        1.0 anna: Choose → a1 Hall
        """)
  }

  @Test("An app without items gets ExtensionNotFound, unless it supplies items in the call")
  func extensionNotFound() {
    let scenario = SetupScenario(.lights { $0.selection = .observe })
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker")
    app.call("ShowPicker", #""items":[{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":3822}}]"#)
    scenario.run(seconds: 2)
    anna.choose(wait: 1)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lights: ShowPicker → ExtensionNotFound
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights choosing
        0.1 anna: candidate 1 Mine
        2.0 lights: accessoryAdded a1 Mine authorized
        2.0 lights: pickerDidDismiss
        2.0 lights: pickerFinished
        2.0 anna: closed a1 Mine
        2.0 anna: Choose → a1 Mine
        """)
  }

  @Test("A picker of full items is refused, however often, and a removal makes room")
  func itemIsFull() {
    let scenario = SetupScenario(.lights { $0.maxAccessories = 1 }, scene: [.bulb(1, level: -50), .bulb(2)])
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", wait: 1)
    anna.choose(1, wait: 1)
    _ = scenario.takeLines()
    let refused = (0..<6).compactMap { _ in app.call("ShowPicker").replies.last }
    app.call("RemoveAccessory", about: app.accessory)
    app.call("ShowPicker", wait: 1)
    anna.choose(2, wait: 1)
    #expect(
      scenario.text == """
        \(String(repeating: "2.0 lights: ShowPicker → UserRestricted\n", count: 6))\
        2.0 lights: accessoryRemoved a1 Lumo bulb authorized
        2.0 lights: RemoveAccessory → done
        2.0 lights: pickerDidPresent
        2.0 lights: ShowPicker → done
        2.1 anna: setup lights choosing
        2.1 anna: candidate 1 Lumo bulb
        2.1 anna: candidate 2 Lumo bulb
        3.0 lights: accessoryAdded a2 Lumo bulb authorized
        3.0 lights: pickerDidDismiss
        3.0 lights: pickerFinished
        3.0 anna: closed a2 Lumo bulb
        3.0 anna: Choose → a2 Lumo bulb
        """)
    #expect(refused.allSatisfy { $0.text("reason") == "the item already has its maximum of 1 accessory" })
    #expect(refused.allSatisfy { $0.text("cure") == "remove one, or raise the item's max-accessories" })
  }

  @Test("A device that is already the app's is not offered; another app's is offered under its first name")
  func shared() {
    let scenario = SetupScenario(.lightsAndGarden)
    let app = scenario.app()
    let garden = scenario.app("garden", user: 1001)
    let anna = scenario.watcher()
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 6)
    app.call("ShowPicker", #""settings":{"discoveryTimeout":"2"}"#)
    garden.call("ShowPicker", wait: 3)
    anna.choose(wait: 1)
    anna.call("Rename", #""accessory":"\#(app.accessory)","name":"Porch""#, wait: 1)
    anna.call("List")
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 garden: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights choosing
        0.1 anna: candidate 1 Lumo bulb
        1.0 lights: accessoryAdded a1 Lumo bulb authorized
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished
        1.0 anna: closed a1 Lumo bulb
        1.0 anna: Choose → a1 Lumo bulb
        7.0 lights: pickerDidPresent
        7.0 anna: setup lights looking
        7.0 lights: ShowPicker → done
        7.0 garden: pickerDidPresent
        7.0 garden: ShowPicker → done
        7.1 anna: setup garden choosing
        7.1 anna: candidate 1 Lumo bulb (shared)
        9.0 lights: pickerDidDismiss
        9.0 lights: pickerFinished discoveryTimeout
        9.0 anna: closed discoveryTimeout
        10.0 garden: accessoryAdded a2 Lumo bulb authorized
        10.0 garden: pickerDidDismiss
        10.0 garden: pickerFinished
        10.0 anna: Choose → a2 Lumo bulb
        10.1 anna: closed a2 Lumo bulb
        11.0 lights: accessoryChanged a1 Porch authorized (displayName)
        11.0 garden: accessoryChanged a2 Porch authorized (displayName)
        11.0 anna: Rename → done
        12.0 anna: List → a1 Porch authorized
        12.0 anna: List → a2 Porch authorized
        12.0 anna: List → done
        """)
  }
}
