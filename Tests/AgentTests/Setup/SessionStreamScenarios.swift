// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import JSON
import Setup
import Testing
import Varlink
import VirtualRadio

@Suite("Streams of sessions", .overEveryTransport)
struct SessionStreamScenarios {
  @Test(
    "A second session receives accessories but not the first one's picker events, and counts them in `passed`"
  )
  func audience() {
    let scenario = SetupScenario(.lights { _ in })
    let app = scenario.app()
    let second = scenario.app(as: "lights again")
    let anna = scenario.watcher()
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    app.call("RemoveAccessory", about: app.accessory, wait: 1)
    let received = second.events.filter { $0.text("event") != "activated" }
    #expect(received.map { $0.text("event") } == ["accessoryAdded", "accessoryRemoved"])
    #expect(received.map { $0.integer("sequence") } == [1, 4])
    #expect(received.map { $0.integer("passed") } == [1, 2])
  }

  @Test("A session that lost its stream resumes within ten seconds, at the event it names")
  func resume() {
    let (scenario, app, anna) = SetupScenario.owning()
    let cursor = #""session":"\#(app.token)","epoch":"\#(app.epoch)","sequence":\#(app.sequence)"#
    app.hangUp()
    anna.call("Rename", #""accessory":"\#(app.accessory)","name":"Hall""#, wait: 9)
    app.activate(cursor)
    #expect(
      scenario.text(after: 1) == """
        2.0 anna: Rename → done
        11.1 lights: accessoryChanged a1 Hall authorized (displayName)
        """)
  }

  @Test("A new session with a cursor receives the accessories, and no event that they cover")
  func covered() throws {
    let (scenario, app, anna) = SetupScenario.owning()
    let accessory = app.accessory
    app.hangUp()
    for name in ["Hall", "Porch"] { anna.call("Rename", #""accessory":"\#(accessory)","name":"\#(name)""#) }
    scenario.skip(seconds: 11)
    app.activate(#""app":"lights","epoch":"\#(app.epoch)","sequence":\#(app.sequence)"#)
    scenario.run(seconds: 1)
    anna.call("Rename", #""accessory":"\#(accessory)","name":"Attic""#, wait: 1)
    #expect(
      scenario.text == """
        13.1 lights: activated, a1 Porch authorized
        14.0 lights: accessoryChanged a1 Attic authorized (displayName)
        14.0 anna: Rename → done
        """)
    let greeting = try #require(app.stream?.replies.first)
    let changed = try #require(app.events.last)
    #expect(greeting["isReset"] == nil && greeting.integer("sequence") == changed.integer("sequence"))
    #expect(changed["passed"] == nil)
  }

  @Test("A streamed session cannot be resumed by another connection, and its owner learns why")
  func streamed() throws {
    let (scenario, app, _) = SetupScenario.owning()
    let client = try #require(scenario.harness.connect(user: app.user))
    scenario.harness.send(
      Message.text("io.accessoryd.Session.Activate", #""session":"\#(app.token)""#, more: true), by: client)
    let reply = try #require(client.replies.first)
    #expect(reply.error == "io.accessoryd.Session.InvalidRequest" && reply.text("field") == "session")
    #expect(reply.text("reason") == "another connection streams the session")
    app.call("CancelPicker")
    #expect(scenario.text.hasSuffix("CancelPicker → InvalidRequest session"), "the session continues")
  }

  @Test("After ten seconds without a stream the session and its picker end")
  func expiry() {
    let (scenario, app, _) = SetupScenario.owning()
    app.call("ShowPicker", wait: 1)
    app.hangUp()
    scenario.run(seconds: 11)
    app.call("List")
    app.activate(#""session":"\#(app.token)""#)
    app.collect()
    #expect(
      scenario.text == """
        2.0 lights: pickerDidPresent
        2.0 anna: setup lights looking
        2.0 lights: ShowPicker → done
        13.0 anna: closed invalidated
        14.0 lights: List → Invalidated
        14.0 lights: Invalidated
        """)
  }

  @Test("A cursor of another run or from the future causes a reset with all accessories")
  func reset() {
    let (scenario, app, _) = SetupScenario.owning()
    app.hangUp()
    app.activate(#""app":"lights","epoch":"00","sequence":1"#)
    scenario.run(seconds: 0.1)
    app.hangUp()
    app.activate(#""app":"lights","epoch":"\#(app.epoch)","sequence":900"#)
    #expect(
      scenario.text(after: 0.1) == """
        2.1 lights: reset
        2.1 lights: activated, a1 Lumo bulb authorized
        2.2 lights: reset
        2.2 lights: activated, a1 Lumo bulb authorized
        """)
  }

  @Test("A late reader misses exactly the overwritten events")
  func missed() {
    let (scenario, app, anna) = SetupScenario.owning()
    app.hangUp()
    for number in 0..<300 {
      anna.call("Rename", #""accessory":"\#(app.accessory)","name":"Hall \#(number)""#)
    }
    _ = scenario.takeLines()
    app.activate(
      #""session":"\#(app.token)","epoch":"\#(app.epoch.uppercased())","sequence":\#(app.sequence)"#)
    scenario.run(seconds: 1)
    #expect(scenario.text.split(separator: "\n").count { $0.contains("accessoryChanged") } == 256)
    #expect(scenario.text.contains("lights: missed 44\n"))
  }

  @Test("A session that its app invalidates ends with its picker")
  func invalidate() {
    let (scenario, app, _) = SetupScenario.owning()
    app.call("ShowPicker", wait: 1)
    app.call("Invalidate")
    app.call("Invalidate", wait: 1)
    #expect(
      scenario.text == """
        2.0 lights: pickerDidPresent
        2.0 anna: setup lights looking
        2.0 lights: ShowPicker → done
        3.0 lights: pickerDidDismiss
        3.0 lights: pickerFinished invalidated
        3.0 lights: invalidated invalidated
        3.0 lights: the end
        3.0 lights: Invalidate → done
        3.0 lights: Invalidate → Invalidated
        3.1 anna: closed invalidated
        """)
  }

  @Test("An account may activate only its own apps, and names one if it has several")
  func activationFailed() {
    var access = AccessList.twoApps
    access.appsOfUser = [1000: ["lights", "garden"]]
    let scenario = SetupScenario(.lightsAndGarden, access: access)
    scenario.app()
    let lamps = scenario.app("lamps")
    #expect(
      lamps.stream?.replies.last?.text("reason") == #"there is no app "lamps" for this account"#)
    let several = scenario.app("garden")
    several.hangUp()
    several.activate(#""session":"00""#)
    several.collect()
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 lamps: ActivationFailed
        0.0 garden: activated
        0.0 garden: Invalidated
        """)
  }
}

@Suite("Streams of advertisements", .overEveryTransport)
struct AdvertisementScenarios {
  @Test("Present accessories come first, then found, changed and lost events; never other devices")
  func stream() {
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(0, 10), .seconds(300, 500)]
    let (scenario, app, _) = SetupScenario.owning(scene: [bulb, .bulb(2, level: -90), .unknownDevice(3)])
    app.call("WatchAdvertisements", wait: 320)
    #expect(scenario.text.contains("→ #0 found a1\n") && scenario.text.contains("→ #0 lost a1\n"))
    #expect(scenario.text.hasSuffix("→ #1 found a1"))
    #expect(!scenario.text.contains("a2"))
  }

  @Test(
    "An advertisement says what its bytes mean, whether it invites connections, and whether it is in sight")
  func fields() throws {
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(0, 10)]
    let (scenario, app, _) = SetupScenario.owning(scene: [bulb])
    let watch = app.call("WatchAdvertisements")
    scenario.run(seconds: 60)
    let advertisements = watch.replies.compactMap { $0.object("advertisement") }
    let found = try #require(advertisements.first)
    #expect(found["inSight"] == .bool(true) && found["connectable"] == .bool(true))
    let fields = try #require(found.object("fields"))
    #expect(fields.integer("flags") == 6)
    let data = try #require(fields.objects("manufacturerData").first)
    #expect(data.integer("companyIdentifier") == 0x0EEE && data.text("data") == "0101")
    #expect(advertisements.last?.text("event") == "lost" && advertisements.last?["inSight"] == .bool(false))
  }

  @Test("With an interval every reading comes, without numbers of its own, and no more often")
  func readings() throws {
    // The radio hears about half of the ten advertisements a second, and reads their scan responses with them or after.
    for (interval, expected) in [("0", 40...100), ("1", 8...11)] {
      let (scenario, app, _) = SetupScenario.owning(scene: [.bulb(1), .bulb(2)])
      let watch = app.call("WatchAdvertisements", #""interval":\#(interval)"#)
      scenario.run(seconds: 10)
      let readings = watch.replies.compactMap { $0.object("advertisement") }
        .filter { $0.text("event") == "reading" }
      #expect(expected.contains(readings.count), "\(readings.count)")
      #expect(readings.allSatisfy { $0.text("identifier") == app.accessory && $0.integer("sequence") == 0 })
      #expect(readings.allSatisfy { $0.integer("rssi") != nil && $0.object("fields") != nil })
    }
    let (scenario, app, _) = SetupScenario.owning(scene: [.bulb(1)])
    defer { scenario.run(seconds: 0) }
    let refused = app.call("WatchAdvertisements", #""interval":-1"#)
    #expect(refused.replies.first?.error == "io.accessoryd.Session.InvalidRequest")
    #expect(refused.replies.first?.text("field") == "interval")
  }

  @Test("A stream ends with its session, and has no more events of a removed accessory")
  func ends() {
    let (scenario, app, anna) = SetupScenario.owning(scene: [.bulb(1)])
    app.call("WatchAdvertisements")
    anna.call("Remove", #""accessory":"\#(app.accessory)""#, wait: 2)
    app.call("Invalidate", wait: 1)
    #expect(
      scenario.text == """
        2.0 lights: WatchAdvertisements → from #0
        2.0 lights: WatchAdvertisements → #0 found a1
        2.0 lights: accessoryRemoved a1 Lumo bulb authorized
        2.0 anna: Remove → done
        4.0 lights: invalidated invalidated
        4.0 lights: the end
        4.0 lights: WatchAdvertisements → done
        4.0 lights: Invalidate → done
        """)
  }

  @Test("A stream resumes at its cursor; a cursor of another run is reset")
  func cursor() {
    var bulb = SceneDevice.bulb(1)
    bulb.presence = [.seconds(0, 10), .seconds(300, 500)]
    let (scenario, app, _) = SetupScenario.owning(scene: [bulb])
    app.call("WatchAdvertisements").hangUp()
    scenario.run(seconds: 320)
    _ = scenario.takeLines()
    app.call("WatchAdvertisements", #""epoch":"\#(app.epoch.uppercased())","sequence":0"#)
    app.call("WatchAdvertisements", #""epoch":"00","sequence":0"#, wait: 1)
    #expect(scenario.text.contains("→ from #0\n"))
    #expect(scenario.text.contains("→ #0 lost a1\n") && scenario.text.contains("→ #1 found a1\n"))
    #expect(scenario.text.contains("→ reset from #2\n") && scenario.text.hasSuffix("→ #2 found a1"))
  }

  @Test("A late reader misses exactly the overwritten events, and gets all others")
  func missed() {
    var bulb = SceneDevice.bulb(1)
    bulb.payloads = PayloadScript(
      cycle: (1...100).map { AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [1, $0]) },
      turnMilliseconds: 2000)
    let (scenario, app, _) = SetupScenario.owning(scene: [bulb])
    app.call("WatchAdvertisements").hangUp()
    scenario.run(seconds: 700)
    let watch = app.call("WatchAdvertisements", #""epoch":"\#(app.epoch)","sequence":0"#, wait: 0.1)
    let numbers = watch.replies.compactMap { $0.object("advertisement")?.integer("sequence") }
    let missed = watch.replies.compactMap { $0.integer("missed") }
    #expect(missed.count == 1 && missed[0] > 0)
    #expect(numbers.count == 256)
    #expect(numbers == Array(missed[0]..<missed[0] + 256))
    let next = app.call("WatchAdvertisements").replies.first?.integer("sequence")
    #expect(next == missed[0] + 256)
  }

  @Test("Resolve returns an authorized accessory's address, and is counted and logged")
  func resolve() {
    let (scenario, app, _) = SetupScenario.owning(scene: [.bulb(1)])
    app.call("Resolve", about: app.accessory)
    #expect(
      scenario.text == """
        2.0 lights: Resolve → C0:00:00:00:00:01
        """)
    #expect(scenario.harness.setupCore.counters.resolved == 1)
  }
}
