// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
@testable import CoreBluetooth
import Foundation
import GATTSupport
import Glibc
import JSON
import SessionSupport
import Testing
import Varlink

/// A manager, a session, and an agent at a real socket.
@Suite(.timeLimit(.minutes(30))) struct SessionSourceTests {
  private let recorder = EventRecorder()

  /// The accessory's `bluetoothIdentifier` in ``SocketAgent/accessory(_:name:state:)``.
  private static let identifier = UUID(
    uuid: (
      0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF
    ))

  private func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) async {
    for line in lines {
      let next = await recorder.next()
      #expect(next == line, sourceLocation: sourceLocation)
    }
  }

  private func manager(_ agent: SocketAgent) -> CBCentralManager {
    CBCentralManager(
      delegate: recorder, queue: recorder.queue,
      source: SessionSource(gateway: ASGateway(socketPath: agent.path)))
  }

  private func dice(_ manager: CBCentralManager) throws -> CBPeripheral {
    let dice = try #require(manager.retrievePeripherals(withIdentifiers: [Self.identifier]).first)
    dice.delegate = recorder
    return dice
  }

  /// An agent with one accessory; `connect` replies to Connect, `readRSSI` to ReadRSSI.
  private static func agent(
    path: String? = nil, state: Int = 20,
    _ connect: @escaping @Sendable (SocketAgent.Connection) -> Void = { _ in },
    readRSSI: @escaping @Sendable (SocketAgent.Connection) -> Void = {
      $0.send(SocketAgent.reply("{\"rssi\":-61}"))
    }
  ) -> SocketAgent {
    SocketAgent(
      path: path, accessories: [SocketAgent.accessory("1", name: "Dice", state: state)],
      ["Connect": connect, "ReadRSSI": readRSSI])
  }

  /// Replies to Connect with a socket of which a server has the other end.
  private static func accept(_ connection: SocketAgent.Connection) {
    let (_, descriptor) = ServerPeer.pair(DiceServer())
    connection.send(SocketAgent.reply(), descriptor: descriptor)
    close(descriptor)
  }

  private static func advertise(on connection: SocketAgent.Connection, rssi: Int) {
    SocketAgent.advertise(connection, data: "03030f18050944696365", rssi: rssi)
  }

  /// A manager whose first state is poweredOn, and the accessory, connected.
  private func connectedDice(_ agent: SocketAgent) async throws -> (CBCentralManager, CBPeripheral) {
    let manager = manager(agent)
    await expect("state poweredOn")
    let dice = try dice(manager)
    manager.connect(dice)
    await expect("connected connected")
    return (manager, dice)
  }

  @Test func aManagerConnectsThroughTheAgent() async throws {
    let agent = Self.agent { Self.accept($0) }
    defer { agent.stop() }
    let (manager, dice) = try await connectedDice(agent)
    #expect(dice.name == "Dice")
    dice.discoverServices([DiceServer.batteryService].map { CBUUID($0) })
    await expect("services [\"180F\"]")
    dice.readRSSI()
    await expect("rssi -61")
    manager.cancelPeripheralConnection(dice)
    await expect("disconnected disconnected")
  }

  @Test func sixteenManagersShareOneSessionAndFewConnections() async throws {
    let callers = Locked<[Int: [SocketAgent.Connection]]>([:])
    let agent = SocketAgent { call, connection in
      callers.withLock { $0[call.method == "Connect" ? 1 : 0, default: []].append(connection) }
      switch call.method {
      case "Activate": SocketAgent.activate(connection, [SocketAgent.accessory("1", name: "Dice")])
      case "Connect":
        // Only when eight wait, or the last of them, is one connected.
        let waiting = callers.withLock { callers -> [SocketAgent.Connection] in
          guard callers[1]?.count == 8 else { return [] }
          defer { callers[1] = [] }
          return callers[1] ?? []
        }
        waiting.forEach(Self.accept)
      default: connection.send(SocketAgent.reply("{\"rssi\":-61}"))
      }
    }
    defer { agent.stop() }
    let managers = (0..<16).map { _ in manager(agent) }
    for _ in managers { await expect("state poweredOn") }
    let all = try managers.map { try dice($0) }
    for (manager, dice) in zip(managers, all) { manager.connect(dice) }
    for _ in managers { await expect("connected connected") }
    for dice in all { dice.readRSSI() }
    for _ in managers { await expect("rssi -61") }
    // One stream, eight long calls at a time, and one for the short ones.
    #expect(agent.connectionsMax <= 10)
    #expect(agent.calledMethods.count { $0 == "Activate" } == 1)
  }

  @Test func managersThatScanHaveOneStream() async throws {
    let agent = SocketAgent(
      accessories: [SocketAgent.accessory("1", name: "Dice")],
      ["WatchAdvertisements": { Self.advertise(on: $0, rssi: -40) }])
    defer { agent.stop() }
    let managers = (0..<16).map { _ in manager(agent) }
    for _ in managers { await expect("state poweredOn") }
    for manager in managers { manager.scanForPeripherals(withServices: nil) }
    for _ in managers { await expect("discovered Dice as Dice at -40") }
    #expect(agent.connectionsMax <= 3)
    for manager in managers.dropFirst() { manager.stopScan() }
    #expect(managers.map(\.isScanning) == [true] + Array(repeating: false, count: 15))
  }

  @Test(arguments: [false, true])
  func anAccessoryThatAwaitsAuthorizationIsConnectedByTheSessionThatAsked(isAuthorized: Bool) async throws {
    // This process knows what its sessions asked for.
    let digit: Character = isAuthorized ? "b" : "a"
    let streams = Locked<[SocketAgent.Connection]>([])
    let connecting = Locked<[JSONValue?]>([])
    let agent = SocketAgent { call, connection in
      switch call.method {
      case "Activate":
        let number = streams.withLock { streams in
          streams.append(connection)
          return streams.count
        }
        SocketAgent.activate(connection, token: SocketAgent.identifier(Character("\(number)")))
      case "ShowPicker":
        connection.send(SocketAgent.reply("{\"picker\":\"p1\"}"))
        let accessory =
          "\"picker\":\"p1\",\"accessory\":" + SocketAgent.accessory(digit, name: "Dice", state: 10)
        for (index, stream) in streams.withLock({ $0 }).enumerated() {
          if index == 0 { stream.send(SocketAgent.event("pickerDidPresent", 40, 0, "\"picker\":\"p1\"")) }
          stream.send(SocketAgent.event("accessoryAdded", 30, 1 - index, accessory))
        }
      case "Connect":
        connecting.withLock { $0.append(call.parameters["session"]) }
        Self.accept(connection)
      case "ReadRSSI": connection.send(SocketAgent.reply("{\"rssi\":-61}"))
      default: connection.send(SocketAgent.reply())
      }
    }
    defer { agent.stop() }
    let asking = ASAccessorySession(gateway: ASGateway(socketPath: agent.path))
    let (events, received) = AsyncStream.makeStream(of: ASAccessoryEventType.self)
    asking.activate(on: DispatchQueue(label: "asking")) { received.yield($0.eventType) }
    for await type in events where type == .activated { break }
    let manager = manager(agent)
    await expect("state poweredOff")
    asking.showPicker { _ in }
    await expect("state poweredOn")
    let dice = try dice(manager)
    manager.connect(dice)
    await expect("connected connected")
    #expect(connecting.withLock { $0 } == [.string(SocketAgent.identifier("1"))])
    if isAuthorized {
      // The session of the managers learns of it later.
      let accessory = "\"accessory\":" + SocketAgent.accessory(digit, name: "Dice", state: 20)
      streams.withLock { $0 }.first?.send(SocketAgent.event("accessoryChanged", 32, 2, accessory))
      for await type in events where type == .accessoryChanged { break }
      dice.readRSSI()
      await expect("rssi -61")
    }
    // Taken back, it is no peripheral any more.
    let removed = "\"accessory\":" + SocketAgent.accessory(digit, name: "Dice", state: 10)
    for stream in streams.withLock({ $0 }) {
      stream.send(SocketAgent.event("accessoryRemoved", 31, 3, removed))
    }
    await expect("disconnected disconnected CBErrorDomain 12", "state poweredOff")
    #expect(dice.state == .disconnected)
    asking.invalidate()
  }

  @Test(arguments: [
    (SocketAgent.failure("ConnectionFailed", 150, field: nil), 10),
    ("{\"error\":\"org.varlink.service.MethodNotFound\",\"parameters\":{\"method\":\"ReadRSSI\"}}", 13),
    (SocketAgent.reply("{}"), 10),
  ])
  func aSignalThatIsNotReadIsTyped(_ reply: String, _ mapped: Int) async throws {
    let agent = Self.agent({ Self.accept($0) }, readRSSI: { $0.send(reply) })
    defer { agent.stop() }
    let (manager, dice) = try await connectedDice(agent)
    dice.readRSSI()
    await expect("rssi 127 CBErrorDomain \(mapped)")
    // The manager is kept until here.
    #expect(manager.state == .poweredOn)
  }

  @Test func anAccessoryOutOfReachIsTriedAgain() async throws {
    let attempts = Counter()
    let agent = Self.agent { connection in
      if attempts.next() < 3 {
        connection.send(SocketAgent.failure("ConnectionFailed", 150))
      } else {
        Self.accept(connection)
      }
    }
    defer { agent.stop() }
    let (manager, dice) = try await connectedDice(agent)
    #expect(manager.state == .poweredOn && dice.state == .connected)
  }

  /// Without a field it is the gateway that cannot connect at present.
  @Test(arguments: [("accessory.reach", 6), ("accessory.link", 10), (nil, 10)] as [(String?, Int)])
  func aFailureThatMayPassIsTyped(_ field: String?, _ mapped: Int) async throws {
    let agent = Self.agent { $0.send(SocketAgent.failure("ConnectionFailed", 150, field: field)) }
    defer { agent.stop() }
    let source = SessionSource(gateway: ASGateway(socketPath: agent.path))
    let manager = CBCentralManager(delegate: recorder, queue: recorder.queue, source: source)
    await expect("state poweredOn")
    let result = await withCheckedContinuation { continuation in
      recorder.queue.async {
        _ = source.connect(to: Self.identifier) { continuation.resume(returning: $0) }
      }
    }
    let refusal = #expect(throws: ConnectionRefusedError.self) { try result.get() }
    #expect((refusal?.error as? CBError)?.errorCode == mapped && refusal?.isTemporary == true)
    // The manager is kept until here.
    #expect(manager.state == .poweredOn)
  }

  /// InvalidRequest without a field is about a gateway that cannot connect.
  @Test(arguments: [
    (SocketAgent.failure("InvalidRequest", 450, field: "accessory"), "CBErrorDomain 12"),
    (SocketAgent.failure("InvalidRequest", 450, field: "accessory.bond"), "CBErrorDomain 14"),
    (
      SocketAgent.failure("InvalidRequest", 450, field: "accessory.isBondAuthenticated"), "CBATTErrorDomain 5"
    ),
    (SocketAgent.failure("InvalidRequest", 450, field: nil), "CBErrorDomain 13"),
    (SocketAgent.failure("UserRestricted", 750, field: nil), "CBErrorDomain 11"),
    (SocketAgent.failure("UserCancelled", 700, field: nil), "CBErrorDomain 5"),
    (SocketAgent.failure("Unknown", 1, field: nil), "CBErrorDomain 13"),
  ])
  func aRefusalOfTheAgentIsTyped(_ reply: String, _ mapped: String) async throws {
    let agent = Self.agent { $0.send(reply) }
    defer { agent.stop() }
    let manager = manager(agent)
    await expect("state poweredOn")
    let dice = try dice(manager)
    manager.connect(dice)
    await expect("failed disconnected \(mapped)")
    #expect(dice.state == .disconnected)
  }

  @Test func anAccessoryThatAwaitsAuthorizationIsNoneYet() async throws {
    let agent = Self.agent(state: 10)
    defer { agent.stop() }
    let manager = manager(agent)
    await expect("state poweredOff")
    #expect(manager.retrievePeripherals(withIdentifiers: [Self.identifier]) == [])
  }

  @Test func aRestartOfTheAgentIsAReset() async throws {
    let agent = Self.agent { Self.accept($0) }
    let (manager, dice) = try await connectedDice(agent)
    agent.stop()
    await expect("state resetting")
    let next = Self.agent(path: agent.path)
    defer { next.stop() }
    await expect("state poweredOn")
    #expect(manager.state == .poweredOn && dice.state == .connected)
  }

  @Test func withoutAnAgentTheFirstStateIsResetting() async throws {
    let path = "\(FileManager.default.temporaryDirectory.path)/none-\(UUID().uuidString.prefix(8))"
    let manager = CBCentralManager(
      delegate: recorder, queue: recorder.queue, source: SessionSource(gateway: ASGateway(socketPath: path)))
    await expect("state resetting")
    let agent = Self.agent(path: path)
    defer { agent.stop() }
    await expect("state poweredOn")
    #expect(manager.state == .poweredOn)
  }

  @Test func anUnknownAccountIsUnauthorized() async throws {
    let agent = SocketAgent { _, connection in
      connection.send("{\"error\":\"org.varlink.service.PermissionDenied\"}")
    }
    defer { agent.stop() }
    let manager = manager(agent)
    await expect("state unauthorized")
    #expect(manager.state == .unauthorized)
  }

  @Test func aScanReportsWhatTheAgentSendsAboutTheAppsAccessories() async throws {
    let agent = SocketAgent { call, connection in
      switch call.method {
      case "Activate": SocketAgent.activate(connection, [SocketAgent.accessory("1", name: "Dice")])
      case "WatchAdvertisements":
        let rssi = call.parameters["interval"] == .double(0.5) ? -30 : -40
        Self.advertise(on: connection, rssi: rssi)
      default: connection.send(SocketAgent.reply())
      }
    }
    defer { agent.stop() }
    let manager = manager(agent)
    await expect("state poweredOn")
    manager.scanForPeripherals(withServices: [CBUUID(string: "180F")])
    await expect("discovered Dice as Dice at -40")
    manager.stopScan()
    manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)])
    await expect("discovered Dice as Dice at -30")
  }
}

/// Counts from 1.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  func next() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}
