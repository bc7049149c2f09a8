// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Setup
import Testing
import VirtualRadio

@Suite("What operators decide about pickers", .overEveryTransport)
struct PickerChoiceStories {
  @Test(
    "An operator who watches and does not read keeps nobody awake, and gets the latest afterwards",
    .inMemoryAlone("the kernel keeps for its client what would fill the agent's buffer"))
  func slowWatcher() throws {
    let story = DeskStory(.lights { _ in }, scene: (1...20).map { .bulb($0) })
    let app = story.app()
    let anna = story.watcher()
    app.call("ShowPicker")
    story.run(seconds: 1)
    let stream = try #require(anna.stream)
    stream.appetite = 0
    story.run(seconds: 60)
    // It has had more to read than fits into its buffer.
    let deadline = story.harness.nextTime
    #expect(try #require(deadline) > story.harness.now)
    let before = stream.replies.count
    stream.appetite = .max
    story.run(seconds: 1)
    #expect(stream.replies.count > before + 100)
  }

  @Test("From ShowPicker to an accessory")
  func choice() {
    let story = DeskStory(.lights { _ in })
    let app = story.app()
    let anna = story.watcher()
    app.call("ShowPicker")
    story.run(seconds: 1)
    anna.choose()
    story.run(seconds: 1)
    app.call("List")
    #expect(
      story.text == """
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

  @Test("A denial fails it with userRestricted")
  func denial() {
    let (story, _, anna) = DeskStory.choosing()
    anna.answer("Deny")
    story.run(seconds: 1)
    #expect(
      story.text == """
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished userRestricted
        1.0 anna: closed userRestricted
        1.0 anna: Deny → done
        """)
  }

  @Test("An operator's cancel fails it with userCancelled; the app may not ask for 5 s")
  func cancelByOperator() {
    let (story, app, anna) = DeskStory.choosing()
    anna.answer("Cancel")
    app.call("ShowPicker")
    story.run(seconds: 4.9)
    app.call("ShowPicker")
    story.run(seconds: 0.2)
    app.call("ShowPicker")
    #expect(
      story.text == """
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

  @Test("So does the app's own")
  func cancelByApp() {
    let (story, app, _) = DeskStory.choosing()
    app.call("CancelPicker")
    app.call("CancelPicker")
    app.call("ShowPicker")
    story.run(seconds: 0.1)
    #expect(
      story.text == """
        1.0 lights: pickerDidDismiss
        1.0 lights: pickerFinished userCancelled
        1.0 anna: closed userCancelled
        1.0 lights: CancelPicker → done
        1.0 lights: CancelPicker → InvalidRequest session
        1.0 lights: ShowPicker → PickerRestricted
        """)
  }

  @Test("Nobody chooses for ten minutes: userCancelled")
  func idle() {
    // Ten minutes of a bulb that speaks rarely.
    var bulb = SceneDevice.bulb(1)
    bulb.intervalMilliseconds = 1000
    let (story, _, _) = DeskStory.choosing(scene: [bulb])
    story.run(seconds: 610)
    #expect(
      story.text == """
        600.0 lights: pickerDidDismiss
        600.0 lights: pickerFinished userCancelled
        600.0 anna: closed userCancelled
        """)
  }

  @Test("A second request of the app is refused while one is open; another app's is not")
  func oneAtATime() {
    let story = DeskStory(.lightsAndGarden)
    let app = story.app()
    let second = story.app(as: "lights again")
    let garden = story.app("garden", user: 1001)
    app.call("ShowPicker")
    app.call("ShowPicker")
    second.call("ShowPicker")
    garden.call("ShowPicker")
    #expect(
      story.text == """
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

  @Test("The sixth request in a minute is refused")
  func pace() {
    let story = DeskStory(.lights { _ in }, scene: [])
    let app = story.app()
    let anna = story.watcher()
    for _ in 0..<5 {
      app.call("ShowPicker")
      story.run(seconds: 0.2)
      anna.answer("Deny")
      story.run(seconds: 0.2)
    }
    _ = story.takeLines()
    app.call("ShowPicker")
    story.run(seconds: 57.9)
    app.call("ShowPicker")
    story.run(seconds: 0.2)
    app.call("ShowPicker")
    #expect(
      story.text == """
        2.0 lights: ShowPicker → PickerRestricted
        59.9 lights: ShowPicker → PickerRestricted
        60.1 lights: pickerDidPresent
        60.1 anna: setup lights looking
        60.1 lights: ShowPicker → done
        """)
  }

  @Test("Of two operators who choose one wins, and the other is told that the request is closed")
  func twoOperators() {
    let (story, _, anna) = DeskStory.choosing()
    let ben = story.watcher("ben")
    story.run(seconds: 0.1)
    _ = story.takeLines()
    story.harness.registry.isHeld = true
    anna.choose()
    ben.choose()
    story.run(seconds: 1)
    story.harness.releaseRegistry()
    story.run(seconds: 1)
    ben.choose()
    #expect(
      story.text == """
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

  @Test("What is no candidate is not chosen, and a name is refused where the item is not renamed")
  func refusals() {
    let (story, _, anna) = DeskStory.choosing()
    anna.choose(7)
    anna.choose(1, #""name":"Hall""#)
    anna.choose(1, #""ssid":"Hall""#)
    anna.call("Choose", #""request":"00","candidate":1"#)
    anna.answer("Name", #""name":"Hall""#)
    anna.answer("Agree")
    anna.choose()
    #expect(
      story.text == """
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

  @Test("An app without items is told so; items in the call are looked for")
  func extensionNotFound() {
    let story = DeskStory(.lights { $0.selection = .observe })
    let app = story.app()
    let anna = story.watcher()
    app.call("ShowPicker")
    app.call("ShowPicker", #""items":[{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":3822}}]"#)
    story.run(seconds: 2)
    anna.choose()
    story.run(seconds: 1)
    #expect(
      story.text == """
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

  @Test("An item has as many accessories as it may: the setup fails, and a removal makes room")
  func itemIsFull() {
    let story = DeskStory(.lights { $0.maxAccessories = 1 }, scene: [.bulb(1, level: -50), .bulb(2)])
    let app = story.app()
    let anna = story.watcher()
    app.call("ShowPicker")
    story.run(seconds: 1)
    anna.choose(1)
    story.run(seconds: 1)
    app.call("ShowPicker")
    story.run(seconds: 1)
    _ = story.takeLines()
    anna.choose()
    story.run(seconds: 1)
    app.call("RemoveAccessory", about: app.accessory)
    app.call("ShowPicker")
    story.run(seconds: 1)
    anna.choose(2)
    story.run(seconds: 1)
    #expect(
      story.text == """
        3.0 lights: pickerSetupFailed userRestricted
        3.0 lights: pickerDidDismiss
        3.0 lights: pickerFinished userRestricted
        3.0 anna: Choose → SetupFailed userRestricted
        3.1 anna: closed userRestricted
        4.0 lights: accessoryRemoved a1 Lumo bulb authorized
        4.0 lights: RemoveAccessory → done
        4.0 lights: pickerDidPresent
        4.0 lights: ShowPicker → done
        4.1 anna: setup lights choosing
        4.1 anna: candidate 1 Lumo bulb
        4.1 anna: candidate 2 Lumo bulb
        5.0 lights: accessoryAdded a2 Lumo bulb authorized
        5.0 lights: pickerDidDismiss
        5.0 lights: pickerFinished
        5.0 anna: closed a2 Lumo bulb
        5.0 anna: Choose → a2 Lumo bulb
        """)
    let failure = app.events.first { $0.text("event") == "pickerSetupFailed" }?.object("error")
    #expect(failure?.text("reason") == "the item has all the accessories that it may, 1")
    #expect(failure?.text("cure") == "remove one, or raise the item's max-accessories")
  }

  @Test("A device that is the app's is not offered; another app's is offered under its first name")
  func shared() {
    let story = DeskStory(.lightsAndGarden)
    let app = story.app()
    let garden = story.app("garden", user: 1001)
    let anna = story.watcher()
    app.call("ShowPicker")
    story.run(seconds: 1)
    anna.choose()
    story.run(seconds: 6)
    app.call("ShowPicker", #""settings":{"discoveryTimeout":"2"}"#)
    garden.call("ShowPicker")
    story.run(seconds: 3)
    anna.choose()
    story.run(seconds: 1)
    anna.call("Rename", #""accessory":"\#(app.accessory)","name":"Porch""#)
    story.run(seconds: 1)
    anna.call("List")
    #expect(
      story.text == """
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
