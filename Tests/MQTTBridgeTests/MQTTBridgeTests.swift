// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BrokerFeed
import BrokerSupport
import Interfaces
import JSON
import MQTTBridge
import Testing
import VirtualRadio

@Suite("The bridge for a broker of MQTT")
struct MQTTBridgeTests {
  private static let state = "accessoryd/gw/accessory/\(SimulatedAgent.identifier(1))/state"
  private static let values = "accessoryd/gw/accessory/\(SimulatedAgent.identifier(1))/values"
  private static let device = "homeassistant/device/accessoryd_\(SimulatedAgent.identifier(1))/config"

  private func house(_ change: (inout MQTTConfiguration) -> Void = { _ in }) -> MQTTHouse {
    var configuration = MQTTConfiguration()
    change(&configuration)
    let house = MQTTHouse(configuration)
    house.change(1, name: "Cellar")
    house.start()
    return house
  }

  private func event(_ house: MQTTHouse) {
    house.agent.produceEvent()
    house.deliver(limit: 10)
  }

  @Test("State, availability, status and device are retained, and say no address")
  func topics() {
    let house = house()
    #expect(house.text("accessoryd/gw/availability") == "online")
    #expect(
      house.text(Self.state)
        == #"{"displayName":"Cellar","app":"climate","item":"thermometer","state":"authorized","bond":"none","#
        + #""isInSight":true,"filteredRSSI":null}"#)
    #expect(house.text("accessoryd/gw/status")?.contains("the bond of (address) is lost") == true)
    let digest = String(repeating: "ab", count: 32)
    #expect(house.text("accessoryd/gw/status")?.contains(#""manifestDigest":"\#(digest)""#) == true)
    let device = house.text(Self.device) ?? ""
    #expect(
      device.hasPrefix(#"{"dev":{"ids":["accessoryd_\#(SimulatedAgent.identifier(1))"],"name":"Cellar"}"#))
    #expect(device.contains(#""avty_t":"accessoryd/gw/availability""#))
    #expect(!device.contains("temperature"))
    #expect(!house.broker.received.contains { String(decoding: $0.payload, as: UTF8.self).contains("C4:A1") })
  }

  @Test("A value makes its entity, and comes at most once in the interval")
  func readings() {
    let house = house()
    for _ in 0..<30 {
      event(house)
      house.pass(.seconds(1))
    }
    house.pass(.seconds(20))
    let values = house.broker.messages(Self.values)
    #expect((4...5).contains(values.count))
    #expect(values.first == #"{"temperature":0.01}"# && values.last == #"{"temperature":0.29}"#)
    #expect(
      house.text(Self.device)?.contains(
        #""temperature":{"p":"sensor","uniq_id":"accessoryd_\#(SimulatedAgent.identifier(1))_temperature","#
          + #""name":"Temperature","dev_cla":"temperature","stat_cla":"measurement","unit_of_meas":"°C""#)
        == true)
    #expect(house.broker.messages(Self.state).count <= 18)
  }

  @Test("Of the agent's list, those values count that no event has said")
  func listedReadings() {
    // BTHome: a temperature; a temperature and a humidity.
    let warm: [UInt8] = [7, 0x16, 0xD2, 0xFC, 0x40, 0x02, 0x10, 0x00]
    let other: [UInt8] = [9, 0x16, 0xD2, 0xFC, 0x40, 0x02, 0x20, 0x00, 0x2E, 0x30]
    var readings = AccessoryReadings()
    readings.note(warm)
    readings.werePublished(at: .zero)
    readings.note(ValueLine.lines(of: [warm]))
    #expect(!readings.isDue(at: .seconds(100), pause: .zero))
    readings.note(ValueLine.lines(of: [other]))
    #expect(readings.isDue(at: .seconds(100), pause: .zero))
    #expect(
      String(decoding: JSONText.object { AccessoryReadings.write(readings.values, to: &$0) }, as: UTF8.self)
        == #"{"temperature":0.16,"humidity":48}"#)
  }

  @Test("An app has an interval of its own")
  func intervalOfApp() {
    let house = house { $0.pauses.intervals["climate"] = 3600 }
    for _ in 0..<30 {
      event(house)
      house.pass(.seconds(1))
    }
    #expect(house.broker.messages(Self.values).count == 1)
  }

  @Test("Events have the accessory and its values, and the address where the configuration says so")
  func events() {
    let house = house()
    for _ in 0..<2 { event(house) }
    let text = house.broker.messages("accessoryd/gw/event").last ?? ""
    #expect(text.hasPrefix(#"{"gateway":"gw","epoch":"run0","sequence":1,"time":0.100000,"event":"changed""#))
    #expect(text.contains(#""accessory":"\#(SimulatedAgent.identifier(1))","displayName":"Cellar""#))
    #expect(text.hasSuffix(#""values":{"temperature":0.01}}"#))
    let open = self.house { ($0.showsAddresses, $0.publishesUndecoded) = (true, true) }
    for _ in 0..<2 { event(open) }
    #expect(
      open.broker.messages("accessoryd/gw/event").last?.contains(#""address":"C4:A1:00:00:00:01""#) == true)
    #expect(open.text("accessoryd/gw/status")?.contains("C4:A1:00:00:00:01") == true)
    #expect(
      open.once.last
        == MQTTMessage(
          "home/gw/BTtoMQTT/undecoded",
          Array(##"{"id":"C4:A1:00:00:00:01","servicedata":"40020100","servicedatauuid":"0xfcd2"}"##.utf8)))
  }

  @Test(
    "Events of others are not missed when the connection ends after them, and the next event says how many")
  func passed() {
    let house = house()
    event(house)
    house.passOver(300)
    house.passOver(SimulatedAgent.app.utf8.count)
    event(house)
    event(house)
    let texts = house.broker.messages("accessoryd/gw/event").suffix(2)
    #expect(texts.first?.contains(#""sequence":308,"passed":307,"#) == true, "\(texts)")
    #expect(texts.last?.contains(#""sequence":309,"time""#) == true, "\(texts)")
    #expect(house.missed.isEmpty)
  }

  @Test("A removed accessory's topics are emptied, also one that was removed while the bridge was down")
  func removal() {
    let house = house()
    event(house)
    event(house)
    house.change(2, name: "Attic")
    house.pass(.seconds(3))
    house.change(1, name: nil)
    house.pass(.seconds(3))
    #expect([Self.state, Self.values, Self.device].allSatisfy { house.text($0) == nil })
    #expect(house.broker.retained.keys.contains { $0.contains(SimulatedAgent.identifier(2)) })
    _ = house.agent.change(2, name: nil)
    house.restartBridge()
    #expect(!house.broker.retained.keys.contains { $0.contains(SimulatedAgent.identifier(2)) })
    house.pass(.seconds(31))
    #expect(house.notices.contains(.emptied(1)))
    #expect(house.broker.filters == ["homeassistant/status"])
  }

  @Test("Everything is published again when Home Assistant starts, and when the broker has lost it")
  func again() {
    let house = house()
    let count = house.broker.messages(Self.device).count
    house.handle(.received(MQTTMessage("homeassistant/status", Array("online".utf8))))
    #expect(house.broker.messages(Self.device).count == count + 1)
    house.handle(.received(MQTTMessage("homeassistant/status", Array("offline".utf8))))
    #expect(house.broker.messages(Self.device).count == count + 1)
    house.endBroker()
    house.broker.forgetRetained()
    house.pass(.seconds(2))
    #expect([Self.state, Self.device, "accessoryd/gw/status"].allSatisfy { house.text($0) != nil })
    #expect(house.text("accessoryd/gw/availability") == "online")
  }

  @Test("The last will says offline, and so does the bridge while the agent is away, and at its end")
  func availability() {
    let house = house()
    house.endAgent()
    #expect(house.text("accessoryd/gw/availability") == "offline")
    house.agent.startAgain()
    house.pass(.seconds(6))
    #expect(house.text("accessoryd/gw/availability") == "online")
    house.acceptsConnections = false
    house.endBroker()
    #expect(house.text("accessoryd/gw/availability") == "offline")
    house.acceptsConnections = true
    house.pass(.seconds(5))
    house.handle(.end)
    #expect(house.isFinished && house.text("accessoryd/gw/availability") == "offline")
  }

  @Test("A broker that is away is tried after 1, 2, 4 … 60 s")
  func backOff() {
    let house = house { _ in }
    house.pass(.seconds(20))
    house.acceptsConnections = false
    house.endBroker()
    var pauses: [Duration] = []
    for _ in 0..<8 {
      guard case let before = house.now, let due = house.bridge.nextDeadline else { break }
      house.pass(due - before)
      pauses.append(due - before)
    }
    // Status is asked for in between.
    #expect(pauses.prefix(5).map { $0 } == [1, 2, 4, 8, 16].map { .seconds($0) })
    #expect(house.notices.filter { $0 == .brokerIsAway("Connection refused") }.count == 1)
  }

  @Test(
    "Of a broker that acknowledges nothing, no more than the window is asked, and events stay in the ring")
  func window() {
    let house = house()
    house.pass(.seconds(1))
    house.isPrompt = false
    for _ in 0..<200 { event(house) }
    house.broker.receive(limit: .max)
    #expect(house.broker.unacknowledged.count == 20)
    #expect(house.events.count <= 20)
    house.pass(.seconds(21))
    house.isPrompt = true
    house.pass(.seconds(40))
    #expect(Set(house.events).union(house.missed).count == 200)
    #expect(house.notices.contains(.brokerIsAway("it acknowledges nothing")))
  }

  @Test("A position that cannot be stored is stored later, and said once")
  func fullDisk() {
    let house = house()
    house.isDiskFull = true
    for _ in 0..<5 {
      event(house)
      house.pass(.seconds(1))
    }
    #expect(house.notices.filter { if case .cursorNotStored = $0 { true } else { false } }.count == 1)
    house.isDiskFull = false
    house.pass(.seconds(10))
    #expect(house.stored == .known(EventCursor(epoch: "run0", sequence: 5)))
  }

  @Test("A position that cannot be read is announced, and the ring is read from its beginning")
  func unreadableCursor() {
    let house = house()
    for _ in 0..<5 { event(house) }
    house.restartBridge(stored: .unreadable)
    house.pass(.seconds(1))
    #expect(house.resets.count == 2 && house.resets.allSatisfy { $0.last == nil })
    #expect(house.events.count == 10)
  }

  @Test(
    "A bridge that lost its position says where it begins, and one that goes on keeps the values of devices that are silent"
  )
  func silentDevices() {
    let house = house()
    for _ in 0..<3 { event(house) }
    house.restartBridge()
    house.pass(.seconds(1))
    #expect(house.resets.count == 1 && house.text(Self.device)?.contains("temperature") == true)
    house.restartBridge(stored: MQTTBridge.StoredCursor.none)
    house.pass(.seconds(1))
    #expect(house.resets.count == 2 && house.text(Self.device)?.contains("temperature") == true)
  }

  @Test("Commands need the configuration, and their mistakes have results with the caller's id")
  func commands() {
    func result(_ house: MQTTHouse, _ name: String, _ text: String, retained: Bool = false) -> String? {
      let count = house.broker.messages("accessoryd/gw/result").count
      house.handle(
        .received(MQTTMessage("accessoryd/gw/command/\(name)", Array(text.utf8), retained: retained)))
      house.pass(.milliseconds(1))
      return house.broker.messages("accessoryd/gw/result").dropFirst(count).first
    }
    let closed = house()
    #expect(result(closed, "rename", #"{"id":1,"accessory":"Cellar","name":"x"}"#) == nil)
    let open = house { $0.acceptsCommands = true }
    for (name, text, expected) in [
      ("rename", "{", #"{"id":null,"ok":false,"error":"a command is a JSON object of at most 4096 bytes"}"#),
      (
        "rename", "{}",
        #"{"id":null,"ok":false,"error":"a command has an id, which is a string or an integer"}"#
      ),
      (
        "picks", #"{"id":1}"#,
        #"{"id":1,"ok":false,"error":"there is no such command; there are pick, choose, cancel, rename, remove"}"#
      ),
      (
        "choose", #"{"id":2,"request":"1","candidate":1,"nmae":"x"}"#,
        #"{"id":2,"ok":false,"error":"choose has no member nmae; it has id, request, candidate, name"}"#
      ),
      ("rename", #"{"id":7}"#, #"{"id":7,"ok":false,"error":"accessory is missing, or is no string"}"#),
      (
        "pick", #"{"id":"a","app":"climate","timeout":1}"#,
        #"{"id":"a","ok":false,"error":"timeout is a number of seconds from 10 to 3600"}"#
      ),
      (
        "remove", #"{"id":8,"accessory":"Attic"}"#,
        #"{"id":8,"ok":false,"error":"there is no accessory Attic; there are Cellar"}"#
      ),
      ("cancel", #"{"id":9}"#, #"{"id":9,"ok":false,"error":"there is no pick"}"#),
      (
        "rename", #"{"id":10,"accessory":"Cellar","name":"x"}"#,
        #"{"id":10,"ok":false,"error":"the accessory is not there"}"#
      ),
    ] {
      #expect(result(open, name, text) == expected)
    }
    #expect(result(open, "rename", "{", retained: true) == nil)
  }

  @Test("A new configuration moves the topics, and empties the old ones")
  func reconfiguration() {
    let house = house()
    event(house)
    event(house)
    house.pass(.seconds(1))
    var new = MQTTConfiguration()
    (new.name, new.discovery) = ("annex", nil)
    house.handle(.configure(new))
    house.pass(.seconds(6))
    #expect(
      !house.broker.retained.keys.contains { $0.hasPrefix("accessoryd/gw/") || $0.hasPrefix("homeassistant") }
    )
    #expect(house.broker.retained.keys.filter { $0.hasPrefix("accessoryd/annex/") }.count == 4)
    #expect(house.notices.last { $0 == .reconfigured } != nil)
  }

  @Test("What changes while the old topics are emptied is published under the new ones alone")
  func lateChange() {
    let house = house()
    event(house)
    event(house)
    house.pass(.seconds(20))
    var new = MQTTConfiguration()
    new.base = "site"
    house.isPrompt = false
    house.handle(.configure(new))
    for _ in 0..<4 { event(house) }
    house.change(1, name: "Attic")
    house.pass(.seconds(2))
    house.isPrompt = true
    house.handle(.timePassed)
    house.pass(.seconds(6))
    #expect(
      !house.broker.retained.keys.contains { $0.hasPrefix("accessoryd/") }, "\(house.broker.retained.keys)")
    #expect(house.text("site/gw/availability") == "online")
    #expect(house.text(Self.state.replacing("accessoryd/", with: "site/"))?.contains("Attic") == true)
  }
}
