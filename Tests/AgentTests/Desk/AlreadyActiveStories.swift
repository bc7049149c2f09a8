// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Setup
import Testing
import Varlink

@Suite("What apps are told to do about what is open already, and that it helps", .overEveryTransport)
struct AlreadyActiveStories {
  private func cure(_ call: StoryCall) -> String? { call.replies.first?.text("cure") }

  @Test("A question about an accessory is waited for")
  func question() {
    let (story, app, anna) = DeskStory.owning()
    app.call("RenameAccessory", about: app.accessory)
    story.run(seconds: 1)
    let again = app.call("RenameAccessory", about: app.accessory)
    #expect(again.replies.first?.error == "io.accessoryd.Session.PickerAlreadyActive")
    #expect(cure(again) == "wait until that call is answered, and call again")
    anna.answer("Deny")
    story.run(seconds: 1)
    #expect(app.call("RenameAccessory", about: app.accessory).replies.isEmpty)
  }

  @Test("A picker of the session's own can be closed")
  func own() {
    let (story, app, _) = DeskStory.choosing()
    #expect(cure(app.call("ShowPicker")) == "wait for pickerFinished, or call CancelPicker")
    app.call("CancelPicker")
    // So long what was closed stays closed.
    story.run(seconds: 6)
    #expect(app.call("ShowPicker").replies.first?.error == nil)
  }

  @Test("One of another session is closed with that session's token")
  func another() {
    let (story, app, _) = DeskStory.choosing()
    let second = story.app(as: "lights again")
    #expect(
      cure(second.call("ShowPicker"))
        == "wait until that session was told pickerFinished, or call CancelPicker with its token")
    #expect(second.call("CancelPicker").replies.first?.error == "io.accessoryd.Session.InvalidRequest")
    app.call("CancelPicker")
    // So long what was closed stays closed.
    story.run(seconds: 6)
    #expect(second.call("ShowPicker").replies.first?.error == nil)
  }

  @Test("What an operator has opened is the operator's to finish")
  func operators() {
    let story = DeskStory(.lights { _ in })
    let app = story.app()
    let open = story.watcher().call("Open", #""app":"lights""#)
    story.run(seconds: 1)
    #expect(cure(app.call("ShowPicker")) == "call ShowPicker again when the operator has finished")
    open.hangUp()
    story.run(seconds: 1)
    #expect(app.call("ShowPicker").replies.first?.error == nil)
  }

  @Test("While the app is waited for it gives the accessory back, and the picker ends")
  func confirming() {
    let (story, app, anna) = DeskStory.choosing { $0.setupOptions = .confirmAuthorization }
    anna.choose()
    story.run(seconds: 1)
    #expect(cure(app.call("ShowPicker")) == "wait for pickerFinished")
    #expect(
      cure(app.call("CancelPicker")) == "give it back with FailAuthorization, which ends the picker too")
    app.call("FailAuthorization", about: app.accessory)
    story.run(seconds: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
  }

  @Test("What is being written down is waited for")
  func adding() {
    let (story, app, anna) = DeskStory.choosing()
    story.harness.registry.isHeld = true
    anna.choose()
    story.run(seconds: 1)
    #expect(
      cure(app.call("CancelPicker"))
        == "wait for accessoryAdded or pickerFinished; RemoveAccessory takes what was added away")
    story.harness.releaseRegistry()
    story.run(seconds: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
  }
}
