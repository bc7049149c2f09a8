// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SessionClient
import Testing

@Suite struct SessionCallTests {
  private let lamp = ScriptedAgent.accessory("1")
  private let identifier = ScriptedAgent.identifier("1")

  // MARK: - Pickers

  @Test func `a picker completes after pickerDidDismiss`() {
    var agent = ScriptedAgent.active()
    agent.present()
    agent.send("accessoryAdded", 30, 1, "\"accessory\":\(lamp)")
    agent.send("pickerDidDismiss", 50, 2, "\"picker\":\"p1\"")
    #expect(agent.news() == ["40", "30 Lamp", "50"])
    agent.send("pickerFinished", nil, 3, "\"picker\":\"p1\"")
    #expect(agent.news() == ["call 1: done"])
  }

  @Test func `a second picker is refused at once`() {
    var agent = ScriptedAgent.active()
    agent.beginCall(1, .showPicker(items: nil, settings: nil))
    agent.reply("ShowPicker", "{\"picker\":\"p1\"}")
    agent.beginCall(2, .showPicker(items: nil, settings: nil))
    agent.fail("ShowPicker", "PickerAlreadyActive", code: 500)
    #expect(agent.news() == ["call 2: pickerAlreadyActive"])
  }

  @Test func `a picker's end that comes before its reply completes with the reply`() {
    var agent = ScriptedAgent.active()
    agent.beginCall(1, .showPicker(items: nil, settings: nil))
    agent.send("pickerDidPresent", 40, 0, "\"picker\":\"p1\"")
    agent.send("pickerDidDismiss", 50, 1, "\"picker\":\"p1\"")
    agent.send(
      "pickerFinished", nil, 2,
      "\"picker\":\"p1\",\"error\":{\"code\":750,\"name\":\"userRestricted\",\"reason\":\"no\",\"cure\":\"ask\"}"
    )
    #expect(agent.news() == ["40", "50"])
    agent.reply("ShowPicker", "{\"picker\":\"p1\"}")
    #expect(agent.news() == ["call 1: userRestricted"])
  }

  @Test func `a picker whose call failed before its reply is closed`() {
    var agent = ScriptedAgent.active()
    agent.beginCall(1, .showPicker(items: nil, settings: nil))
    guard let call = agent.call("ShowPicker") else { return record("not called") }
    agent.send("pickerDidPresent", 40, 0, "\"picker\":\"p1\"")
    #expect(agent.call("CancelPicker") == nil)
    agent.close(call.link)
    #expect(agent.news() == ["40", "call 1: connectionFailed"])
    agent.reply("CancelPicker")
    agent.send("pickerDidDismiss", 50, 1, "\"picker\":\"p1\"")
    agent.send("pickerFinished", nil, 2, "\"picker\":\"p1\"")
    #expect(agent.news() == ["50"])
    #expect(agent.sent.count { $0.contains("CancelPicker") } == 1)
    agent.present("p2", call: 2)
    agent.send("pickerDidDismiss", 50, 4, "\"picker\":\"p2\"")
    agent.send("pickerFinished", nil, 5, "\"picker\":\"p2\"")
    #expect(agent.news() == ["40", "50", "call 2: done"])
  }

  @Test func `a discovered device keeps its picker, its number and what the agent says about it`() {
    var agent = ScriptedAgent.active()
    agent.present()
    agent.send(
      "accessoryDiscovered", 33, 1,
      "\"picker\":\"p1\",\"discovered\":{\"discovered\":7,\"itemIndex\":0,\"bluetoothAdvertisementData\":\"020106\","
        + "\"bluetoothRSSI\":-40,\"connectable\":true,\"descriptor\":{\"bluetoothServiceUUID\":\"FE0F\"},\"time\":1.5}"
    )
    guard case .event(let event) = agent.deliveries.last, let device = event.discovered else {
      return record("nothing was discovered")
    }
    #expect(device.picker == "p1" && device.line.discovered == 7 && device.line.connectable == true)
    #expect(device.line.descriptor?.bluetoothServiceUUID == "FE0F")
    #expect(device.line.time == Seconds(microseconds: 1_500_000))
  }

  @Test func `a discovered device belongs to the item that the app supplied`() {
    var descriptor = DescriptorLine()
    descriptor.bluetoothServiceUUID = "FE0F"
    let item = RequestedItem(
      name: "Die", productImage: nil, descriptor: descriptor, setupOptions: 0, renameOptions: 0)
    var agent = ScriptedAgent.active()
    agent.beginCall(1, .showPicker(items: [item], settings: nil))
    agent.send("pickerDidPresent", 40, 0, "\"picker\":\"p1\"")
    for index in [0, 1] {
      agent.send(
        "accessoryDiscovered", 33, index + 1,
        "\"picker\":\"p1\",\"discovered\":{\"discovered\":7,\"itemIndex\":\(index),"
          + "\"bluetoothAdvertisementData\":\"020106\",\"time\":1.5}")
      guard case .event(let event) = agent.deliveries.last else { return record("nothing was discovered") }
      #expect(event.discovered?.item == (index == 0 ? item : nil))
      if index == 0 { agent.reply("ShowPicker", "{\"picker\":\"p1\"}") }
    }
  }

  @Test func `an agent that does not know options of discovered items gets them left out`() {
    var agent = ScriptedAgent.active()
    agent.present()
    _ = agent.news()
    agent.beginCall(
      2,
      .updatePicker([
        ShownDevice(discovered: 7, name: "Lamp", productImage: nil, setupOptions: 1, supportedOptions: 2)
      ]))
    #expect(agent.call("UpdatePicker")?.text.contains("\"setupOptions\":1,\"supportedOptions\":2") == true)
    agent.reply(
      "UpdatePicker", "{\"parameter\":\"items[0].setupOptions\"}",
      error: "org.varlink.service.InvalidParameter")
    #expect(agent.call("UpdatePicker")?.text.contains("Options") == false)
    agent.reply("UpdatePicker")
    #expect(agent.news() == ["call 2: done"])
  }

  // MARK: - Completions and their events

  @Test func `a completion waits for the event that the reply names`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .removeAccessory(identifier))
    agent.reply("RemoveAccessory", "{\"epoch\":\"\(ScriptedAgent.epoch)\",\"sequence\":1}")
    agent.send("accessoryChanged", 32, 0, "\"accessory\":\(ScriptedAgent.accessory("1", name: "Lump"))")
    #expect(agent.news() == ["32 Lump"])
    agent.send("accessoryRemoved", 31, 1, "\"accessory\":\(lamp)")
    #expect(agent.news() == ["31 Lamp", "call 1: done"])
  }

  @Test func `a reply after its event completes at once`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .removeAccessory(identifier))
    agent.send("accessoryRemoved", 31, 0, "\"accessory\":\(lamp)")
    agent.reply("RemoveAccessory", "{\"epoch\":\"\(ScriptedAgent.epoch)\",\"sequence\":0}")
    #expect(agent.news() == ["31 Lamp", "call 1: done"])
  }

  @Test func `a call that caused no event completes with its reply`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .renameAccessory(identifier, options: 0))
    agent.reply("RenameAccessory", "{\"accessory\":\(lamp),\"epoch\":\"\(ScriptedAgent.epoch)\"}")
    #expect(agent.news() == ["call 1: done"])
  }

  @Test func `with an agent that names no event, a completion waits 1 s for one of the kind`() {
    var agent = ScriptedAgent.active([lamp, ScriptedAgent.accessory("2", name: "Bulb")])
    agent.beginCall(1, .removeAccessory(identifier))
    agent.reply("RemoveAccessory")
    agent.send("accessoryRemoved", 31, 0, "\"accessory\":\(ScriptedAgent.accessory("2", name: "Bulb"))")
    #expect(agent.news() == ["31 Bulb"])
    agent.send("accessoryRemoved", 31, 1, "\"accessory\":\(lamp)")
    #expect(agent.news() == ["31 Lamp", "call 1: done"])
    agent.beginCall(2, .failAuthorization(identifier))
    agent.reply("FailAuthorization")
    #expect(agent.news(after: .milliseconds(999)) == [])
    #expect(agent.news(after: .milliseconds(1)) == ["call 2: done"])
  }

  @Test func `with such an agent, an event before the reply counts`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .removeAccessory(identifier))
    agent.send("accessoryRemoved", 31, 0, "\"accessory\":\(lamp)")
    agent.reply("RemoveAccessory")
    #expect(agent.news() == ["31 Lamp", "call 1: done"])
  }

  @Test func `an item that the agent leaves out is reported, and its picker is shown`() {
    var agent = ScriptedAgent.active()
    agent.beginCall(1, .showPicker(items: nil, settings: nil))
    agent.reply(
      "ShowPicker",
      "{\"picker\":\"p1\",\"leftOut\":[{\"code\":450,\"name\":\"invalidRequest\","
        + "\"field\":\"items[1].migrate.ssid\",\"reason\":\"why\",\"cure\":\"what\"},{}]}")
    agent.send("pickerDidPresent", 40, 0, "\"picker\":\"p1\"")
    #expect(agent.news() == ["call 1 without items[1].migrate.ssid", "40"])
  }

  // MARK: - Connections

  @Test func `short calls share a connection, which closes after the last one`() {
    var agent = ScriptedAgent.active()
    agent.beginCall(1, .finishPickerDiscovery)
    agent.beginCall(2, .cancelPicker)
    #expect(agent.openLinks.count == 2)
    #expect(agent.call("CancelPicker") == nil)
    agent.reply("FinishPickerDiscovery")
    agent.reply("CancelPicker")
    #expect(agent.news() == ["call 1: done", "call 2: done"])
    #expect(agent.openLinks.count == 1 && agent.attempts == 2)
    #expect(agent.client.nextDeadline == nil)
  }

  @Test func `a call that may take long has a connection of its own`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .renameAccessory(identifier, options: 1))
    agent.beginCall(2, .updateAuthorization(identifier, DescriptorLine()))
    agent.beginCall(3, .cancelPicker)
    #expect(agent.openLinks.count == 4)
    agent.fail("UpdateAuthorization", "UserCancelled", code: 700)
    agent.reply("CancelPicker")
    #expect(agent.news() == ["call 2: userCancelled", "call 3: done"])
  }

  @Test func `long calls have a lane of the process, advertisements have none`() {
    let agent = ScriptedAgent.active([lamp])
    var client = agent.client
    func lanes(_ number: UInt64, _ request: SessionRequest) -> [CallLane?] {
      client.step(.begin(CallID(number), request), at: agent.now).compactMap { action -> CallLane?? in
        if case .open(_, let lane) = action { .some(lane) } else { nil }
      }
    }
    #expect(lanes(1, .connect(accessory: identifier)) == [.long])
    #expect(lanes(2, .renameAccessory(identifier, options: 1)) == [.long])
    #expect(lanes(3, .watchAdvertisements) == [nil])
    #expect(lanes(4, .resolve(identifier)) == [.short])
  }

  @Test func `a connection that ends fails its call alone`() {
    var agent = ScriptedAgent.active()
    agent.beginCall(1, .finishPickerDiscovery)
    agent.beginCall(2, .cancelPicker)
    guard let call = agent.call("FinishPickerDiscovery") else { return record("not called") }
    agent.close(call.link)
    #expect(agent.news() == ["call 1: connectionFailed"])
    agent.reply("CancelPicker")
    #expect(agent.news() == ["call 2: done"])
  }

  @Test func `connections that cannot be opened fail the calls that need them`() {
    var agent = ScriptedAgent.active()
    agent.isUp = false
    agent.beginCall(1, .finishPickerDiscovery)
    agent.beginCall(2, .resolve(identifier))
    agent.beginCall(3, .renameAccessory(identifier, options: 0))
    #expect(
      agent.news() == ["call 1: connectionFailed", "call 2: connectionFailed", "call 3: connectionFailed"])
  }

  @Test func `an agent that does not reply in time is given up`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .removeAccessory(identifier))
    agent.beginCall(2, .renameAccessory(identifier, options: 0))
    #expect(agent.news(after: .seconds(40)) == ["call 1: connectionFailed"])
    #expect(agent.news(after: .seconds(60)) == ["call 2: connectionFailed"])
    #expect(agent.openLinks.count == 1)
  }

  @Test func `a call that is too long is refused`() {
    var agent = ScriptedAgent.active()
    let name = String(repeating: "x", count: 17 << 10)
    agent.beginCall(1, .finishAuthorization(identifier, ssid: name, bridgingIdentifier: nil))
    #expect(agent.news() == ["call 1: invalidRequest"])
  }

  @Test func `without a free descriptor, calls fail and the session is tried again`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .connect(accessory: identifier))
    guard let connect = agent.call("Connect") else { return record("not called") }
    agent.step(.lostDescriptor(connect.link))
    agent.reply("Connect")
    guard case .completion(_, .failure(let error)) = agent.deliveries.last else {
      return record("the call succeeded")
    }
    #expect(error.code == .connectionFailed && error.cure.contains("LimitNOFILE"))
    _ = agent.news()
    agent.isExhausted = true
    agent.beginCall(2, .renameAccessory(identifier, options: 0))
    agent.breakStream()
    agent.beginCall(3, .finishPickerDiscovery)
    agent.run(.seconds(30))
    let reason = "this program has no file descriptor free"
    #expect(agent.news() == ["call 2: connectionFailed", "silent: \(reason)", "call 3: connectionFailed"])
    #expect(agent.deliveries.suffix(2).allSatisfy { "\($0)".contains("no file descriptor free") })
    agent.isExhausted = false
    agent.run(.seconds(5))
    agent.greet()
    #expect(agent.openLinks.count == 1)
  }

  // MARK: - Errors

  @Test(arguments: [
    ("io.accessoryd.Session.InvalidRequest", "{\"code\":450,\"reason\":\"r\",\"cure\":\"c\"}", 450),
    ("io.accessoryd.Session.Unknown", "{\"code\":999,\"reason\":\"r\",\"cure\":\"c\"}", 1),
    ("io.accessoryd.Session.Unknown", "{\"code\":0,\"reason\":\"r\",\"cure\":\"c\"}", 1),
    ("io.accessoryd.Session.Unknown", "{}", 1),
    ("org.varlink.service.InvalidParameter", "{\"parameter\":\"items\"}", 450),
    ("org.varlink.service.MethodNotFound", "{\"method\":\"m\"}", 1),
    ("org.varlink.service.MethodNotImplemented", "{}", 1),
    ("io.accessoryd.Gateway.TooManyConnections", "{}", 150),
    ("com.example.Strange", "{\"code\":\"text\"}", 1),
  ])
  func `each error reply has its code`(_ error: String, _ parameters: String, _ code: Int) {
    var agent = ScriptedAgent.active()
    agent.beginCall(1, .cancelPicker)
    agent.reply("CancelPicker", parameters, error: error)
    guard case .completion(_, .failure(let failure)) = agent.deliveries.last else {
      return record("the call did not fail")
    }
    #expect(failure.code.rawValue == code)
    #expect(!failure.reason.isEmpty && !failure.cure.isEmpty)
    if error.hasSuffix("InvalidParameter") { #expect(failure.field == "items") }
  }

  // MARK: - Connect and WatchAdvertisements

  @Test func `Connect hands the descriptor over, and closes one that no call wants`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .connect(accessory: identifier))
    agent.run(.seconds(1000))
    agent.reply("Connect", descriptor: 77)
    #expect(agent.news() == ["call 1: descriptor(77)"])
    agent.beginCall(2, .connect(accessory: identifier))
    agent.step(.cancel(CallID(2)))
    #expect(agent.news() == ["call 2: userCancelled"])
    #expect(agent.openLinks.count == 1)
    agent.beginCall(3, .connect(accessory: identifier))
    agent.reply("Connect")
    agent.beginCall(4, .connect(accessory: identifier))
    guard let call = agent.call("Connect") else { return record("not called") }
    agent.step(.receivedDescriptor(call.link, 78))
    agent.close(call.link)
    agent.beginCall(5, .cancelPicker)
    agent.reply("CancelPicker", descriptor: 79)
    #expect(agent.news() == ["call 3: unknown", "call 4: connectionFailed", "call 5: done"])
    #expect(agent.closedDescriptors == [78, 79])
  }

  @Test func `ReadRSSI gives the strength, and a reply without it cannot be read`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .readRSSI(identifier))
    #expect(agent.call("ReadRSSI")?.text.contains("\"accessory\":\"\(identifier)\"") == true)
    agent.reply("ReadRSSI", "{\"rssi\":-61}")
    agent.beginCall(2, .readRSSI(identifier))
    agent.reply("ReadRSSI")
    #expect(agent.news() == ["call 1: rssi(-61)", "call 2: connectionFailed"])
  }

  @Test func `readings are asked for with their interval, also when the stream goes on`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .advertisements(interval: Seconds(microseconds: 500_000)))
    agent.reply(
      "WatchAdvertisements", "{\"epoch\":\"\(ScriptedAgent.epoch)\",\"sequence\":4}", continues: true)
    guard let call = agent.call("WatchAdvertisements") else { return record("not called") }
    #expect(call.text.contains("\"interval\":0.5"))
    agent.close(call.link)
    agent.run(.milliseconds(250))
    #expect(agent.call("WatchAdvertisements")?.text.contains("\"interval\":0.5") == true)
  }

  @Test func `advertisements go on where they were when the connection breaks`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .watchAdvertisements)
    agent.reply(
      "WatchAdvertisements", "{\"epoch\":\"\(ScriptedAgent.epoch)\",\"sequence\":4}", continues: true)
    agent.reply(
      "WatchAdvertisements",
      "{\"advertisement\":{\"sequence\":9,\"epoch\":\"\(ScriptedAgent.epoch)\",\"identifier\":\"\(identifier)\","
        + "\"event\":\"changed\",\"inSight\":true,\"time\":1,\"age\":0,\"rssi\":-40,\"data\":\"020106\"}}",
      continues: true)
    #expect(agent.news() == ["call 1: changed 9"])
    guard let call = agent.call("WatchAdvertisements") else { return record("not called") }
    agent.close(call.link)
    #expect(agent.news() == [])
    agent.run(.milliseconds(250))
    #expect(agent.call("WatchAdvertisements")?.text.contains("\"sequence\":9") == true)
    agent.step(.cancel(CallID(1)))
    #expect(agent.openLinks.count == 1)
  }
}
