// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import Interfaces
import JSON
import Testing
import Values

@testable import ESPHome

@Suite("The gateway as an ESPHome device")
struct ESPHomeBridgeTests {
  private static let address: UInt64 = 0xC4A1_0000_0001

  private static func key(_ entity: Entity) -> (inout FieldWriter) -> Void { { $0.word(1, entity.rawValue) } }

  private static func turn(on isOn: Bool) -> APIMessage {
    APIMessage(33) { fields in
      fields.word(1, Entity.inclusion.rawValue)
      fields.flag(2, isOn)
    }
  }

  private static func count(_ type: UInt64, _ messages: [APIMessage]) -> Int {
    messages.count { $0.type == type }
  }

  @Test("A client learns what the bridge may do, and with an empty `may` only the sensors")
  func entities() {
    for (may, entities, actions) in [(BridgePermission.allCases, 9, 2), ([], 4, 0), ([.rename], 4, 1)] {
      let bench = BridgeBench()
      bench.startBridge(may: may)
      let id = bench.accept()
      bench.send(APIMessage(1), APIMessage(3), APIMessage(9), APIMessage(11), by: id)
      let messages = bench.read(id)
      #expect(messages.prefix(3).map(\.type) == [2, 4, 10] && messages.last?.type == 19)
      #expect(messages.count { [12, 16, 17, 18, 52, 61].contains($0.type) } == entities)
      #expect(Self.count(41, messages) == actions)
    }
  }

  @Test(
    "A subscription to reports is answered at once with the scanner, and each change of the radio says it again"
  )
  func scanner() {
    let bench = BridgeBench()
    bench.startBridge()
    let id = bench.greeted()
    #expect(
      bench.read(id).filter { $0.type == 126 } == [.scanner(.running, isActive: false, isSetActive: false)])
    for (state, scanner) in [(1, ScannerState.idle), (2, .starting), (3, .failed)] as [(UInt8, ScannerState)]
    {
      bench.step(.reports(BridgeBench.radio(state)))
      #expect(
        bench.read(id).filter { $0.type == 126 } == [.scanner(scanner, isActive: false, isSetActive: false)])
    }
    bench.step(.reports(BridgeBench.radio(isActive: true)))
    #expect(bench.read(id).contains(.scanner(.running, isActive: true, isSetActive: true)))
    bench.endAgent()
    #expect(bench.read(id).contains(.scanner(.failed, isActive: false, isSetActive: false)))
    #expect(bench.notices.last == .agentIsAway("the agent has ended"))
  }

  @Test(
    "Reports are sent after 100 ms or when there are 16, without levels that are none and anonymous devices")
  func reports() {
    let bench = BridgeBench()
    bench.startBridge()
    let id = bench.greeted()
    _ = bench.read(id)
    bench.step(.reports(BridgeBench.reports([Self.address])))
    bench.step(.reports(BridgeBench.reports([1], rssi: 127)))
    bench.step(.reports(BridgeBench.reports([2], type: 255)))
    #expect(Self.count(93, bench.read(id)) == 0)
    bench.pass(.milliseconds(100))
    let messages = bench.read(id).filter { $0.type == 93 }
    let expected = APIMessage(93) { fields in
      fields.message(1) { item in
        item.number(1, Self.address)
        item.signed(2, -50)
        item.number(3, 1)
        item.data(4, [2, 1, 6])
      }
    }
    #expect(messages == [expected])
    bench.step(.reports(BridgeBench.reports((1...17).map { UInt64($0) })))
    #expect(Self.count(93, bench.read(id)) == 1)
  }

  @Test("A client that does not read loses reports, which are counted, and stays; others lose none")
  func slowReader() {
    let bench = BridgeBench()
    bench.startBridge()
    let (slow, quick) = (bench.greeted(), bench.greeted(address: "10.0.0.2"))
    var received = 0
    for _ in 0..<200 {
      bench.step(.reports(BridgeBench.reports((1...16).map { UInt64($0) })))
      received += Self.count(93, bench.read(quick))
    }
    bench.pass(.seconds(10))
    #expect(received == 200 && bench.closed.isEmpty)
    let waiting = bench.bridge.unsent(of: slow).count
    #expect(waiting < ClientSession.pendingBytesMax + 1024)
    let late = bench.read(slow)
    let missed = 200 - Self.count(93, late)
    #expect(missed > 0)
    bench.pass(.seconds(10))
    let told = bench.read(slow).contains(Entity.missed.state(.count(UInt64(missed * 16))))
    #expect(told || late.contains(Entity.missed.state(.count(UInt64(missed * 16)))))
  }

  @Test("A client that asks and does not read is closed")
  func unread() {
    let bench = BridgeBench()
    bench.startBridge()
    let id = bench.greeted()
    for _ in 0..<200 { bench.send(APIMessage(11), by: id) }
    #expect(bench.closed.contains(id))
    #expect(bench.notices.contains(.clientFailed(.unread, address: "10.0.0.1", count: 1)))
  }

  @Test("There are 32 clients, four of one address, and 10 s for the hello")
  func limits() {
    let bench = BridgeBench()
    bench.startBridge()
    for _ in 0..<5 { _ = bench.accept() }
    #expect(bench.closed.count == 1)
    for host in 2..<30 { _ = bench.accept(address: "10.0.0.\(host)") }
    #expect(bench.closed.count == 1)
    _ = bench.accept(address: "10.0.1.1")
    #expect(bench.closed.count == 2)
    bench.pass(.seconds(10))
    #expect(bench.closed.count == 34)
    // A kind of failure is logged once a minute.
    #expect(bench.notices.count { if case .clientFailed = $0 { true } else { false } } == 2)
    let id = bench.greeted(address: "10.0.2.1")
    bench.pass(.seconds(60))
    #expect(bench.read(id).contains(.ping))
    bench.pass(.seconds(90))
    #expect(bench.closed.contains(id))
  }

  @Test("The switch opens a request, the strongest candidate is shown, and the button accepts it")
  func inclusion() throws {
    let bench = BridgeBench()
    bench.startBridge()
    let id = bench.greeted()
    bench.send(Self.turn(on: true), by: id)
    let open = try #require(bench.call("Operator.Open").flatMap { bench.calls[$0] })
    #expect(
      open.parameters["app"] == .string("lights") && open.parameters["discoveryTimeout"] == .string("long"))
    bench.reply("Operator.Open", continues: true) { $0.member("request", "r1") }
    #expect(BridgeBench.text(.candidate, in: bench.read(id)) == "Looking for accessories of lights")
    bench.offer(request: "r1", pairing: [nil, .authenticated])
    #expect(
      BridgeBench.text(.candidate, in: bench.read(id)) == "2: Lock, -40 dBm: choose it with accessoryctl pick"
    )
    bench.send(APIMessage(62, Self.key(.accept)), by: id)
    #expect(bench.call("Operator.Choose") == nil)
    bench.send(APIMessage(62, Self.key(.next)), by: id)
    #expect(BridgeBench.text(.candidate, in: bench.read(id)) == "1: Lamp E27, -60 dBm")
    bench.send(APIMessage(62, Self.key(.accept)), by: id)
    let choose = try #require(bench.call("Operator.Choose").flatMap { bench.calls[$0] })
    #expect(choose.parameters["candidate"] == .integer(1) && choose.parameters["request"] == .string("r1"))
    #expect(choose.parameters["name"] == .string("Lamp"))
    bench.reply("Operator.Open", continues: true) { json in
      json.member("accessory", "a")
      json.member("displayName", "Lamp")
    }
    #expect(BridgeBench.text(.candidate, in: bench.read(id)) == "Added Lamp")
    bench.send(Self.turn(on: false), by: id)
    #expect(bench.call("Operator.Open") == nil && bench.call("Operator.Watch") == nil)
    #expect(BridgeBench.text(.candidate, in: bench.read(id)) == "Off")
  }

  @Test("The request ends with the client that opened it, its time, a refusal, and the agent")
  func inclusionEnds() {
    for end in 0..<4 {
      let bench = BridgeBench()
      bench.startBridge()
      let (id, other) = (bench.greeted(), bench.greeted())
      bench.send(Self.turn(on: true), by: id)
      bench.reply("Operator.Open", continues: true) { $0.member("request", "r1") }
      _ = bench.read(other)
      switch end {
      case 0: bench.step(.ended(id))
      case 1: bench.reply("Operator.Open")
      case 2:
        bench.reply("Operator.Open", error: "io.accessoryd.Operator.SetupFailed") { json in
          json.member("reason", "nothing was found")
          json.member("cure", "bring it near")
        }
      default: bench.endAgent()
      }
      let messages = bench.read(other)
      #expect(messages.contains(Entity.inclusion.state(.flag(false))), "\(end)")
      let text = BridgeBench.text(.candidate, in: messages)
      #expect(text == ["Off", "Off", "nothing was found; bring it near", "The gateway is away"][end])
      #expect(bench.call("Operator.Open") == nil && bench.call("Operator.Watch") == nil)
    }
  }

  @Test("Actions find accessories by name, address or identifier, and say why they were not done")
  func actions() throws {
    let bench = BridgeBench()
    bench.startBridge()
    bench.list("Hall", "a")
    bench.list("Attic", "b")
    let id = bench.greeted()
    func rename(_ accessory: String, _ name: String) -> APIMessage {
      APIMessage(42) { fields in
        fields.word(1, AccessoryAction.rename.rawValue)
        for text in [accessory, name] { fields.message(2) { $0.text(4, text) } }
        fields.number(3, 7)
      }
    }
    _ = bench.read(id)
    // A new name is known at once.
    let renames: [(String, Character, String)] = [
      ("hall", "a", "Porch"), ("bbbb", "b", "Loft"), ("Loft", "b", "Attic"), ("porch", "a", "Hall"),
    ]
    for (name, identifier, new) in renames {
      bench.send(rename(name, new), by: id)
      let call = try #require(bench.call("Operator.Rename").flatMap { bench.calls[$0] })
      #expect(call.parameters["accessory"] == .string(String(repeating: identifier, count: 32)))
      bench.reply("Operator.Rename")
      #expect(bench.read(id).contains(.actionResult(7, error: nil)))
    }
    bench.send(rename("Cellar", "New"), by: id)
    #expect(
      bench.read(id).contains(.actionResult(7, error: "there is no accessory Cellar; there are Attic, Hall")))
    bench.send(rename("Hall", ""), by: id)
    bench.reply("Operator.Rename", error: "io.accessoryd.Operator.Invalid") { json in
      json.member("field", "name")
      json.member("reason", "a name is 1 to 248 bytes")
    }
    #expect(bench.read(id).contains(.actionResult(7, error: "a name is 1 to 248 bytes")))
    bench.send(rename("Hall", "x"), by: id)
    bench.endAgent()
    #expect(bench.read(id).contains(.actionResult(7, error: "the agent has ended")))
  }

  @Test("An accessory that an action has removed is gone at once, before the agent's list says so")
  func removes() throws {
    let bench = BridgeBench()
    bench.startBridge()
    bench.list("Hall", "a")
    let id = bench.greeted()
    let remove = APIMessage(42) { fields in
      fields.word(1, AccessoryAction.remove.rawValue)
      fields.message(2) { $0.text(4, "Hall") }
      fields.number(3, 7)
    }
    bench.send(remove, by: id)
    bench.reply("Operator.Remove")
    let messages = bench.read(id)
    #expect(messages.contains(.actionResult(7, error: nil)))
    #expect(messages.contains(Entity.accessories.state(.count(0))))
    bench.send(remove, by: id)
    #expect(bench.read(id).contains(.actionResult(7, error: "there are no accessories")))
  }

  @Test("Active scanning is asked for while a client wants it, and the bridge may")
  func scanning() {
    func scan(_ isActive: Bool) -> APIMessage { APIMessage(127) { $0.flag(1, isActive) } }
    for may in [[BridgePermission.scan], []] {
      let bench = BridgeBench()
      bench.startBridge(may: may)
      let (one, two) = (bench.greeted(), bench.greeted())
      bench.send(scan(true), by: one)
      #expect((bench.call("Gateway.ScanActively") != nil) == !may.isEmpty)
      bench.send(scan(true), by: two)
      bench.send(scan(false), by: one)
      #expect((bench.call("Gateway.ScanActively") != nil) == !may.isEmpty)
      bench.step(.ended(two))
      #expect(bench.call("Gateway.ScanActively") == nil)
      #expect(Self.count(126, bench.read(one)) >= 2)
    }
  }

  @Test("While a key may be given, a client in plaintext gets no reports, and its key is kept")
  func enrolment() throws {
    let bench = BridgeBench(key: [UInt8](repeating: 1, count: 32))
    bench.startBridge()
    let key = GatewayKey.random()
    #expect(bench.bridge.isEncrypted)
    bench.step(.enrol)
    #expect(!bench.bridge.isEncrypted)
    let id = bench.greeted()
    bench.send(Self.turn(on: true), by: id)
    bench.step(.reports(BridgeBench.reports([Self.address])))
    bench.pass(.seconds(1))
    #expect(bench.call("Operator.Open") == nil && Self.count(93, bench.read(id)) == 0)
    bench.send(
      APIMessage(42) { fields in
        fields.word(1, AccessoryAction.remove.rawValue)
        fields.message(2) { $0.text(4, "Hall") }
        fields.number(3, 7)
      }, by: id)
    let refusal = "the gateway waits for a key, and until then does nothing without encryption"
    #expect(bench.read(id).contains(.actionResult(7, error: refusal)) && bench.call("Operator.Remove") == nil)
    for text in ["no key", String(repeating: "A", count: 43) + "="] {
      bench.send(APIMessage(124) { $0.text(1, text) }, by: id)
      #expect(bench.read(id).contains(.keyStored(false)))
    }
    bench.send(APIMessage(124) { $0.text(1, key.text) }, by: id)
    #expect(bench.read(id).contains(.keyStored(true)) && bench.stored == key.bytes)
    #expect(bench.bridge.isEncrypted)
    bench.send(APIMessage(124) { $0.text(1, GatewayKey.random().text) }, by: id)
    #expect(bench.read(id).contains(.keyStored(false)) && bench.stored == key.bytes)
    bench.step(.enrol)
    bench.pass(.seconds(600))
    #expect(bench.bridge.isEncrypted && bench.notices.last == .enrolmentEnded)
  }

  @Test(
    "A key that is read again ends an enrolment and the clients with another; the same key changes nothing")
  func keyReadAgain() {
    let bench = BridgeBench(key: [UInt8](repeating: 1, count: 32))
    bench.startBridge()
    bench.step(.enrol)
    let id = bench.greeted()
    bench.step(.replaceKey([UInt8](repeating: 1, count: 32)))
    #expect(!bench.bridge.isEncrypted && !bench.closed.contains(id))
    bench.step(.replaceKey([UInt8](repeating: 2, count: 32)))
    _ = bench.read(id)
    #expect(bench.bridge.isEncrypted && bench.closed.contains(id))
    let open = BridgeBench()
    open.startBridge()
    open.step(.replaceKey([UInt8](repeating: 2, count: 32)))
    #expect(!open.bridge.isEncrypted)
  }

  @Test("What the agent says of itself is logged once, and the bridge waits")
  func waiting() {
    for (error, notice) in [
      ("org.varlink.service.PermissionDenied", ESPHomeBridge.Notice.notABridge),
      ("org.varlink.service.MethodNotFound", .agentIsOlder),
      ("io.accessoryd.Gateway.Busy", .refused("the agent is busy; close other readers of it")),
    ] {
      let bench = BridgeBench()
      bench.step(.start)
      for _ in 0..<3 {
        bench.reply("Gateway.WatchReports", error: error)
        bench.pass(.seconds(5))
      }
      #expect(bench.notices.filter { $0 != .agentIsThere } == [notice])
      bench.welcome()
      let id = bench.greeted()
      #expect(bench.read(id).contains(Entity.radio.state(.flag(true))))
    }
  }

  @Test("Clients come back when what the bridge may do has changed")
  func changedSection() {
    let bench = BridgeBench()
    bench.startBridge(may: [])
    let id = bench.greeted()
    bench.endAgent()
    bench.isAgentThere = true
    bench.pass(.seconds(5))
    bench.welcome(may: [.pick])
    #expect(bench.read(id).contains(.goodbye))
    #expect(bench.closed.contains(id))
  }

  private static let denied = "org.varlink.service.PermissionDenied"

  /// How many entities a new client learns.
  private static func entityCount(_ bench: BridgeBench) -> Int {
    bench.read(bench.greeted()).count { [12, 16, 17, 18, 52, 61].contains($0.type) }
  }

  @Test("After a reload, which ends the list and not the reports, the bridge has its new rights")
  func reloadedRights() {
    let bench = BridgeBench()
    bench.startBridge()
    let id = bench.greeted()
    bench.send(Self.turn(on: true), by: id)
    bench.reply("Operator.List", error: Self.denied)
    bench.replyStatus(may: [.rename])
    #expect(bench.call("Operator.Open") == nil)
    #expect(bench.read(id).contains(.goodbye) && bench.closed.contains(id))
    #expect(Self.entityCount(bench) == 4)
    #expect(bench.call("Gateway.WatchReports") != nil && bench.notices == [.agentIsThere])
    // A second reload comes while there is no list that it could end.
    bench.pass(.seconds(5))
    bench.reply("Operator.List", continues: true) { $0.member("isSynced", true) }
    bench.replyStatus(may: BridgePermission.allCases)
    #expect(Self.entityCount(bench) == 9)
  }

  @Test("An operator is no bridge: the log says so, and clients get nothing of what operators hear")
  func operatorAccount() {
    for (version, apps, notice) in [
      ("1.2.3", 2, .accountIsOperator), ("1.10.0", 0, .accountIsOperator), ("1.2.2", 2, .agentIsOlder),
      ("1.2.3", nil, .agentIsOlder),
    ] as [(String, Int?, ESPHomeBridge.Notice)] {
      let bench = BridgeBench()
      bench.step(.start)
      bench.openStream()
      bench.step(.reports(BridgeBench.radio()))
      bench.replyStatus(version: version, apps: apps, nil)
      #expect(bench.notices == [.agentIsThere, notice], "\(version)")
      let id = bench.greeted()
      bench.step(.reports(BridgeBench.reports([Self.address])))
      bench.pass(.seconds(1))
      let messages = bench.read(id)
      #expect(Self.count(93, messages) == 0)
      #expect(messages.contains(.scanner(.failed, isActive: false, isSetActive: false)))
    }
  }

  @Test(
    "After a reload without its section the bridge says so and waits, and goes on when the section is back")
  func removedSection() {
    let bench = BridgeBench()
    bench.startBridge()
    bench.list("Hall", "a")
    let id = bench.greeted()
    _ = bench.read(id)
    bench.reply("Operator.List", error: Self.denied)
    bench.reply("Gateway.Status", error: Self.denied)
    let messages = bench.read(id)
    #expect(messages.contains(.goodbye) && bench.closed.contains(id))
    let next = bench.greeted()
    let states = bench.read(next)
    #expect(states.contains(.scanner(.failed, isActive: false, isSetActive: false)))
    #expect(states.contains(Entity.accessories.state(.missing)))
    #expect(Self.entityCount(bench) == 4)
    for _ in 0..<3 {
      bench.pass(.seconds(5))
      bench.reply("Gateway.WatchReports", error: Self.denied)
      bench.reply("Operator.List", error: Self.denied)
    }
    #expect(bench.notices == [.agentIsThere, .notABridge] && bench.call("Gateway.Status") == nil)
    bench.pass(.seconds(5))
    bench.welcome()
    #expect(bench.read(next).contains(.goodbye) && bench.notices.last == .agentIsThere)
    #expect(Self.entityCount(bench) == 9)
  }
}

extension BridgeBench {
  /// Two candidates of a request: a lamp, and a lock that is stronger.
  func offer(request: String, pairing: [RequestItemLine.Pairing?]) {
    var items = ["Lamp", "Lock"].map { name in
      RequestItemLine(
        name: name, asksForName: name == "Lamp", confirmsAuthorization: false, finishesInApp: false)
    }
    for index in items.indices { items[index].pairing = pairing[index] }
    let line = RequestLine(
      request: request, kind: .setup, app: "lights", isOnBehalf: true, since: Seconds(microseconds: 0),
      phase: .choosing, items: items, usesTouch: false, isFiltered: false, disclosed: 0, remaining: 1,
      hidden: 0)
    reply("Operator.Watch", continues: true) { $0.object("request", line) }
    for (number, level) in [(UInt32(1), Int8(-60)), (2, -40)] {
      let candidate = CandidateLine(
        candidate: number, itemIndex: Int(number) - 1, name: number == 1 ? "Lamp" : "Lock",
        deviceName: number == 1 ? AirText(Array("E27".utf8)) : nil,
        address: DeviceAddress(bits: 0xC4A1_0000_0000 + UInt64(number), type: .random), filteredRSSI: level,
        silence: Seconds(microseconds: 0), isIdentityDurable: true, isShared: false)
      reply("Operator.Watch", continues: true) { json in
        json.member("of", request)
        json.object("candidate", candidate)
      }
    }
  }
}
