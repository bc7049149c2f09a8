// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Registry
import Testing

@Suite("What apps ask about their accessories", .overEveryTransport)
struct QuestionScenarios {
  @Test("A rename asks the operators, and every session receives the name they type")
  func rename() {
    let (scenario, app, anna) = SetupScenario.owning()
    scenario.app(as: "lights again")
    app.call("RenameAccessory", about: app.accessory, wait: 1)
    app.call("RenameAccessory", about: app.accessory)
    anna.answer("Name", #""name":"Hall""#, wait: 1)
    #expect(
      scenario.text == """
        2.0 lights again: activated, a1 Lumo bulb authorized
        2.0 anna: rename lights answering Lumo bulb
        3.0 lights: RenameAccessory → PickerAlreadyActive
        3.0 lights: accessoryChanged a1 Hall authorized (displayName)
        3.0 lights again: accessoryChanged a1 Hall authorized (displayName)
        3.0 anna: closed a1 Hall
        3.0 lights: RenameAccessory → a1 Hall authorized
        3.0 anna: Name → done
        """)
  }

  @Test("A rename ends when no operator answers for a minute, when one denies it, and when one closes it")
  func unanswered() {
    let (scenario, app, anna) = SetupScenario.owning()
    app.call("RenameAccessory", about: app.accessory, wait: 61)
    app.call("RenameAccessory", about: app.accessory, wait: 1)
    anna.answer("Deny")
    app.call("RenameAccessory", about: app.accessory, wait: 1)
    anna.answer("Cancel", wait: 1)
    #expect(
      scenario.text == """
        2.0 anna: rename lights answering Lumo bulb
        62.0 anna: closed userCancelled
        62.0 lights: RenameAccessory → UserCancelled
        63.0 anna: rename lights answering Lumo bulb
        64.0 anna: closed userRestricted
        64.0 lights: RenameAccessory → UserRestricted
        64.0 anna: Deny → done
        64.1 anna: rename lights answering Lumo bulb
        65.0 anna: closed userCancelled
        65.0 lights: RenameAccessory → UserCancelled
        65.0 anna: Cancel → done
        """)
  }

  @Test("A rename ends when its caller disconnects")
  func hangUp() {
    let (scenario, app, _) = SetupScenario.owning()
    let call = app.call("RenameAccessory", about: app.accessory, wait: 1)
    call.hangUp()
    #expect(
      scenario.text(after: 1) == """
        2.0 anna: rename lights answering Lumo bulb
        3.1 anna: closed userCancelled
        """)
  }

  @Test("A question about an accessory ends when the accessory is removed")
  func removedMeanwhile() {
    let (scenario, app, anna) = SetupScenario.owning()
    app.call("RenameAccessory", about: app.accessory, wait: 1)
    anna.call("Remove", #""accessory":"\#(app.accessory)""#, wait: 1)
    #expect(
      scenario.text == """
        2.0 anna: rename lights answering Lumo bulb
        3.0 lights: accessoryRemoved a1 Lumo bulb authorized
        3.0 anna: closed invalidRequest
        3.0 lights: RenameAccessory → InvalidRequest accessory
        3.0 anna: Remove → done
        """)
  }

  @Test("The option for networks is refused for an accessory without a network")
  func renameNetwork() {
    let (scenario, app, _) = SetupScenario.owning()
    app.call("RenameAccessory", about: app.accessory, #""renameOptions":1"#)
    app.call("RenameAccessory", about: app.accessory, #""renameOptions":2"#)
    #expect(
      scenario.text == """
        2.0 lights: RenameAccessory → InvalidRequest renameOptions
        2.0 lights: RenameAccessory → InvalidRequest renameOptions
        """)
  }

  @Test("With the option for networks, the network's stored name follows the typed name")
  func renameWithNetwork() {
    let (scenario, app, anna) = SetupScenario.owning(
      .lights { $0.descriptor.ssidPrefix = Array("Lumo-".utf8) }, choosing: #""ssid":"Lumo-7""#)
    app.call("RenameAccessory", about: app.accessory, #""renameOptions":1"#, wait: 1)
    anna.answer("Name", #""name":"Lumo-hall""#)
    app.call("RenameAccessory", about: app.accessory, wait: 1)
    anna.answer("Name", #""name":"Porch""#)
    app.call("List")
    #expect(
      scenario.text == """
        2.0 anna: rename lights answering Lumo bulb
        3.0 lights: accessoryChanged a1 Lumo-hall authorized Lumo-hall (displayName ssid)
        3.0 anna: closed a1 Lumo-hall
        3.0 lights: RenameAccessory → a1 Lumo-hall authorized Lumo-hall
        3.0 anna: Name → done
        3.1 anna: rename lights answering Lumo-hall
        4.0 lights: accessoryChanged a1 Porch authorized Lumo-hall (displayName)
        4.0 anna: closed a1 Porch
        4.0 lights: RenameAccessory → a1 Porch authorized Lumo-hall
        4.0 anna: Name → done
        4.0 lights: List → a1 Porch authorized Lumo-hall
        4.0 lights: List → done
        """)
  }

  @Test("A network gets no name that its accessory's descriptor does not match")
  func renameNetworkAway() {
    let (scenario, app, anna) = SetupScenario.owning(
      .lights { $0.descriptor.ssidPrefix = Array("Lumo-".utf8) }, choosing: #""ssid":"Lumo-7""#)
    app.call("RenameAccessory", about: app.accessory, #""renameOptions":1"#, wait: 1)
    anna.answer("Name", #""name":"Hall""#)
    anna.answer("Name", #""name":"Lumo-, a name of more than 32 bytes""#)
    anna.answer("Name", #""name":"Lumo-8""#, wait: 1)
    let (whole, owned, _) = SetupScenario.owning(.lights { $0.descriptor.ssid = Array("Lumo-7".utf8) })
    owned.call("RenameAccessory", about: owned.accessory, #""renameOptions":1"#)
    #expect(
      scenario.text == """
        2.0 anna: rename lights answering Lumo bulb
        3.0 anna: Name → Invalid name
        3.0 anna: Name → Invalid name
        3.0 lights: accessoryChanged a1 Lumo-8 authorized Lumo-8 (displayName ssid)
        3.0 anna: closed a1 Lumo-8
        3.0 lights: RenameAccessory → a1 Lumo-8 authorized Lumo-8
        3.0 anna: Name → done
        """)
    #expect(whole.text == "2.0 lights: RenameAccessory → InvalidRequest renameOptions")
  }

  @Test("Operators agree to a second identity or deny it")
  func extend() {
    let (scenario, app, anna) = SetupScenario.owning()
    let more = #""alternate":{"bluetoothCompanyIdentifier":3822,"bluetoothManufacturerDataBlob":"02"}"#
    app.call("UpdateAuthorization", about: app.accessory, more, wait: 1)
    anna.answer("Deny")
    app.call("UpdateAuthorization", about: app.accessory, more, wait: 1)
    anna.answer("Agree", wait: 1)
    app.call("UpdateAuthorization", about: app.accessory, more, wait: 61)
    #expect(
      scenario.text == """
        2.0 anna: authorize lights answering Lumo bulb adds a second identity: company 0x0eee, manufacturer data
        3.0 anna: closed userRestricted
        3.0 lights: UpdateAuthorization → UserRestricted
        3.0 anna: Deny → done
        3.1 anna: authorize lights answering Lumo bulb adds a second identity: company 0x0eee, manufacturer data
        4.0 lights: accessoryChanged a1 Lumo bulb authorized (alternate)
        4.0 anna: closed a1 Lumo bulb
        4.0 lights: UpdateAuthorization → a1 Lumo bulb authorized
        4.0 anna: Agree → done
        5.0 lights: UpdateAuthorization → InvalidRequest alternate
        """)
    let changed = app.events.last { $0.text("event") == "accessoryChanged" }?.object("accessory")
    #expect(changed?.object("alternate")?.text("bluetoothManufacturerDataBlob") == "02")
  }

  @Test("After a network prefix is added, the app gives the full name once")
  func addedNetwork() {
    let manifest = GatewayManifest.lights { _ in }.with { $0.apps[0].supports = [.bluetooth, .wifi] }
    let (scenario, app, anna) = SetupScenario.owning(manifest)
    app.call("UpdateAuthorization", about: app.accessory, #""descriptor":{"ssidPrefix":"Lumo-"}"#, wait: 1)
    anna.answer("Agree", wait: 1)
    app.call("UpdateAuthorization", about: app.accessory, #""descriptor":{"ssid":"Lumo-7"}"#)
    app.call("FinishAuthorization", about: app.accessory)
    app.call("FinishAuthorization", about: app.accessory, #""ssid":"Other-7""#)
    app.call("FinishAuthorization", about: app.accessory, #""ssid":"Lumo-7""#, wait: 1)
    app.call("FinishAuthorization", about: app.accessory, #""ssid":"Lumo-8""#, wait: 1)
    #expect(
      scenario.text == """
        2.0 anna: authorize lights answering Lumo bulb adds a network that begins with Lumo-
        3.0 lights: accessoryChanged a1 Lumo bulb authorized (descriptor)
        3.0 anna: closed a1 Lumo bulb
        3.0 lights: UpdateAuthorization → a1 Lumo bulb authorized
        3.0 anna: Agree → done
        4.0 lights: UpdateAuthorization → InvalidRequest descriptor.ssid
        4.0 lights: FinishAuthorization → InvalidRequest accessory
        4.0 lights: FinishAuthorization → InvalidRequest ssid
        4.0 lights: accessoryChanged a1 Lumo bulb authorized Lumo-7 (ssid)
        4.0 lights: FinishAuthorization → a1 Lumo bulb authorized Lumo-7
        5.0 lights: FinishAuthorization → InvalidRequest accessory
        """)
  }

  @Test("A removal reaches every session of the app; an operator can choose the device again")
  func remove() {
    let (scenario, app, anna) = SetupScenario.owning()
    scenario.app(as: "lights again")
    app.call("RemoveAccessory", about: app.accessory)
    app.call("RemoveAccessory", about: app.accessory)
    anna.call("Registry")
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    #expect(
      scenario.text == """
        2.0 lights again: activated, a1 Lumo bulb authorized
        2.0 lights: accessoryRemoved a1 Lumo bulb authorized
        2.0 lights again: accessoryRemoved a1 Lumo bulb authorized
        2.0 lights: RemoveAccessory → done
        2.0 lights: RemoveAccessory → InvalidRequest accessory
        2.0 anna: Registry → 0 accessories open
        2.0 anna: Registry → removed C0:00:00:00:00:01
        2.0 anna: Registry → former identifier of C0:00:00:00:00:01
        2.0 anna: Registry → done
        2.0 lights: pickerDidPresent
        2.0 lights: ShowPicker → done
        2.1 anna: setup lights choosing
        2.1 anna: candidate 1 Lumo bulb
        3.0 lights: accessoryAdded a2 Lumo bulb authorized
        3.0 lights: pickerDidDismiss
        3.0 lights: pickerFinished
        3.0 lights again: accessoryAdded a2 Lumo bulb authorized
        3.0 anna: closed a2 Lumo bulb
        3.0 anna: Choose → a2 Lumo bulb
        """)
  }
}
