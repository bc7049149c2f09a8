// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import GATT
import GATTSupport
import JSON
import Testing

@testable import ESPHome

@Suite("Connections of ESPHome's clients")
struct ConnectionTests {
  private static let address: UInt64 = 0xC4A1_0000_0001

  private static func device(
    _ request: ClientMessage.DeviceRequest, _ address: UInt64 = Self.address
  ) -> APIMessage {
    APIMessage(68) { fields in
      fields.number(1, address)
      fields.number(2, request.rawValue)
    }
  }

  private static func attribute(
    _ type: UInt64, _ handle: UInt16, _ other: (inout FieldWriter) -> Void = { _ in }
  ) -> APIMessage {
    APIMessage(type) { fields in
      fields.number(1, Self.address)
      fields.number(2, handle)
      other(&fields)
    }
  }

  /// A bridge whose account is the app "home", which has one accessory, with a client that asks for connections.
  private func connectable() -> (bench: BridgeBench, client: ESPHomeClientID) {
    let bench = BridgeBench()
    bench.startBridge(apps: ["home", "lights"])
    bench.startSession()
    bench.list("Dice", "a", app: "home", address: Self.address)
    bench.list("Lamp", "b", app: "lights", address: 7)
    let id = bench.greeted()
    bench.send(APIMessage(80), by: id)
    _ = bench.read(id)
    return (bench, id)
  }

  private func connected(_ server: DiceServer = DiceServer()) throws -> (
    bench: BridgeBench, client: ESPHomeClientID, device: BridgeCallID
  ) {
    let (bench, id) = connectable()
    bench.send(Self.device(.connectWithCache), by: id)
    let device = try bench.connectDevice(server)
    return (bench, id, device)
  }

  @Test("Connections are offered when the bridge's account is an app's, and no longer when it is not")
  func offer() throws {
    let bench = BridgeBench()
    bench.startBridge()
    let id = bench.greeted()
    bench.send(APIMessage(9), by: id)
    #expect(bench.read(id).contains(.deviceInfo(BridgeBench.identity, hasConnections: false)))
    bench.reply("Session.Activate", error: "org.varlink.service.PermissionDenied")
    bench.pass(.seconds(60))
    #expect(bench.call("Session.Activate") == nil, "a refusal is not repeated for ever")
    // With the next stream of reports the manifest may be another.
    bench.step(.reportsEnded)
    bench.pass(.seconds(2))
    bench.welcome()
    bench.startSession()
    #expect(bench.read(id).last == .goodbye, "clients ask for features once")
    let again = bench.greeted()
    bench.send(APIMessage(9), by: again)
    #expect(bench.read(again).contains(.deviceInfo(BridgeBench.identity, hasConnections: true)))
  }

  @Test("A device is connected with its MTU, and all clients learn how many more there may be")
  func connect() throws {
    let (bench, id) = connectable()
    let other = bench.greeted(address: "10.0.0.2")
    bench.send(APIMessage(80), by: other)
    #expect(bench.read(other).last == .connections(free: 3, of: 3, []))
    bench.send(Self.device(.connectWithoutCache), by: id)
    let call = try #require(bench.call("Session.Connect").flatMap { bench.calls[$0] })
    #expect(call.parameters["accessory"] == .string(String(repeating: "a", count: 32)))
    #expect(call.parameters["session"] == .string(String(repeating: "5", count: 32)))
    _ = try bench.connectDevice()
    #expect(
      bench.read(id).filter { $0.type == 69 } == [.connection(Self.address, .none, mtu: 517)])
    #expect(
      bench.read(other) == [.connections(free: 2, of: 3, []), .connections(free: 2, of: 3, [Self.address])])
    // It belongs to the client that asked.
    bench.send(Self.device(.connect), by: other)
    #expect(bench.read(other) == [.connection(Self.address, .refused)])
    bench.send(Self.attribute(73, 3), by: other)
    #expect(bench.read(other) == [.failed(Self.address, 3, 0x85)])
  }

  @Test(
    "Only accessories of the bridge's own app are connected; others get the reply of an address that is not there"
  )
  func ownAccessories() {
    let (bench, id) = connectable()
    for address in [7, 8] as [UInt64] {
      bench.send(Self.device(.connect, address), by: id)
      #expect(bench.read(id) == [.connection(address, .refused)])
    }
    #expect(bench.call("Session.Connect") == nil)
  }

  @Test("Services come one by one, with the handles of values and descriptors")
  func services() throws {
    let server = DiceServer()
    let (bench, id, device) = try connected(server)
    _ = bench.read(id)
    bench.send(APIMessage(70) { $0.number(1, Self.address) }, by: id)
    bench.exchange(device)
    let messages = bench.read(id)
    #expect(messages.map(\.type) == [71, 71, 71, 72])
    let dice = try #require(messages.dropLast().last.map { Listed($0) })
    #expect(dice.uuids.first == DiceServer.service && dice.handles.first == server.diceHandle)
    #expect(dice.handles.contains(server.rollHandle) && dice.handles.contains(server.pressHandle))
    #expect(dice.uuids.contains(.clientConfiguration) && dice.uuids.contains(DiceServer.textUUID))
  }

  @Test("A device with more attributes than a client can be sent is refused")
  func tooManyServices() throws {
    var server = DiceServer()
    for number in 0..<600 { server.model.addCharacteristic(AttributeUUID(UInt16(number)), properties: 2) }
    let (bench, id, device) = try connected(server)
    _ = bench.read(id)
    bench.send(APIMessage(70) { $0.number(1, Self.address) }, by: id)
    bench.exchange(device)
    #expect(bench.read(id).last == .failed(Self.address, 0, 0x11))
  }

  @Test("Values are read and written; the device's refusals have its number")
  func values() throws {
    let server = DiceServer()
    let (bench, id, device) = try connected(server)
    _ = bench.read(id)
    func ask(_ message: APIMessage) -> [APIMessage] {
      bench.send(message, by: id)
      bench.exchange(device)
      return bench.read(id)
    }
    #expect(
      ask(Self.attribute(73, server.batteryHandle)) == [.value(Self.address, server.batteryHandle, [97])])
    #expect(
      ask(Self.attribute(73, server.secretHandle)) == [.failed(Self.address, server.secretHandle, 0x0F)])
    let long = [UInt8](repeating: 7, count: 100)
    let isLong: (inout FieldWriter) -> Void = { fields in
      fields.flag(3, true)
      fields.data(4, long)
    }
    #expect(ask(Self.attribute(75, server.textHandle, isLong)) == [.written(Self.address, server.textHandle)])
    #expect(bench.devices[device]?.model.value(server.textHandle) == long)
    // Without a response.
    #expect(ask(Self.attribute(75, server.settingHandle) { $0.data(4, [3]) }) == [])
    #expect(bench.devices[device]?.model.value(server.settingHandle) == [3])
  }

  @Test("Of a client that does not read, the device is not read, and no notification is lost")
  func notifications() throws {
    let server = DiceServer()
    let (bench, id, device) = try connected(server)
    bench.send(Self.attribute(78, server.rollHandle) { $0.flag(3, true) }, by: id)
    bench.send(Self.attribute(77, server.rollHandle + 1) { $0.data(3, [1, 0]) }, by: id)
    bench.exchange(device)
    #expect(bench.read(id).suffix(2).map(\.type) == [84, 83])
    var (received, pauses) = ([APIMessage](), 0)
    for number in 0..<1_000 {
      let value = [UInt8(number & 0xFF), UInt8(number >> 8)] + [UInt8](repeating: 0, count: 100)
      while !bench.notify(device, server.rollHandle, value) {
        pauses += 1
        received += bench.read(id)
      }
    }
    received += bench.read(id)
    #expect(pauses > 2)
    #expect(received.count == 1_000 && received.allSatisfy { $0.type == 79 })
    let numbers = received.map { message in
      let value = message.fields.suffix(102)
      return Int(value.first ?? 0) | Int(value.dropFirst().first ?? 0) << 8
    }
    #expect(numbers == Array(0..<1_000))
    // A client that no longer wants them has none.
    bench.send(Self.attribute(78, server.rollHandle), by: id)
    _ = bench.read(id)
    _ = bench.notify(device, server.rollHandle, [1])
    #expect(bench.read(id) == [])
  }

  @Test(
    "What ends a connection is said: the client, the device, the reach, the agent; and with the client it goes"
  )
  func ends() throws {
    for end in 0..<6 {
      let (bench, id) = connectable()
      bench.send(Self.device(.connect), by: id)
      if end == 0 {
        bench.reply("Session.Connect", error: "io.accessoryd.Session.ConnectionFailed") {
          $0.member("field", "accessory.reach")
        }
        #expect(bench.read(id).contains(.connection(Self.address, .notEstablished)))
        continue
      }
      let device = try bench.connectDevice()
      _ = bench.read(id)
      let reason: DeviceConnections.Reason? =
        switch end {
        case 1: .endedByGateway
        case 2: .endedByDevice
        case 3: .lost
        case 4: .endedByGateway
        default: nil
        }
      switch end {
      case 1: bench.send(Self.device(.disconnect), by: id)
      case 2: bench.step(.linkEnded(device, .byDevice))
      case 3:
        // A request without a response for 30 s.
        bench.send(Self.attribute(73, 3), by: id)
        bench.pass(.seconds(31))
      case 4: bench.endAgent()
      default: bench.step(.ended(id))
      }
      #expect(bench.devices.isEmpty)
      if let reason { #expect(bench.read(id).contains(.connection(Self.address, reason)), "case \(end)") }
    }
  }

  @Test(
    "There are three connections at once; one that is asked for twice is one; pairing belongs to the picker")
  func limits() throws {
    let (bench, id) = connectable()
    for number in 0..<4 as Range<UInt64> {
      bench.list("Dice \(number)", Character("\(number)"), app: "home", address: 100 + number)
      bench.send(Self.device(.connect, 100 + number), by: id)
    }
    #expect(bench.read(id).contains(.connection(103, .refused)))
    #expect(bench.calls.values.count { $0.method == "Session.Connect" } == 3)
    bench.send(Self.device(.connect, 100), by: id)
    #expect(bench.calls.values.count { $0.method == "Session.Connect" } == 3)
    // An attempt that is given up.
    bench.send(Self.device(.disconnect, 100), by: id)
    #expect(bench.calls.values.count { $0.method == "Session.Connect" } == 2)
    _ = bench.read(id)
    bench.send(Self.device(.pair), Self.device(.unpair), Self.device(.clearCache), by: id)
    #expect(
      bench.read(id) == [
        .pairing(Self.address, .refused), .unpairing(Self.address, .refused), .cacheCleared(Self.address),
      ])
  }
}

/// The UUIDs and handles of a service's message, in order.
private struct Listed {
  private(set) var uuids: [AttributeUUID] = []
  private(set) var handles: [UInt16] = []

  init(_ message: APIMessage) {
    var reader = FieldReader(message.fields[...])
    while let (field, value) = try? reader.next() {
      if field == 2, case .bytes(let bytes) = value { add(bytes) }
    }
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    var reader = FieldReader(bytes)
    var halves: [UInt64] = []
    while let (field, value) = try? reader.next() {
      switch (field, value) {
      case (1, .number(let half)):
        halves.append(half)
        if halves.count == 2 { uuids.append(AttributeUUID(high: halves[0], low: halves[1])) }
      case (2, .number(let handle)): handles.append(UInt16(handle))
      case (_, .bytes(let part)): add(part)
      default: break
      }
    }
  }
}
