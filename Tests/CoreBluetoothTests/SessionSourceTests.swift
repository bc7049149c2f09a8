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
    let session = ASAccessorySession(gateway: ASGateway(socketPath: agent.path))
    return CBCentralManager(
      delegate: recorder, queue: recorder.queue, source: SessionSource(session: session))
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
    SocketAgent(path: path) { call, connection in
      switch call.method {
      case "Activate":
        SocketAgent.activate(connection, [SocketAgent.accessory("1", name: "Dice", state: state)])
      case "Connect": connect(connection)
      case "ReadRSSI": readRSSI(connection)
      default: connection.send(SocketAgent.reply())
      }
    }
  }

  /// Replies to Connect with a socket of which a server has the other end.
  private static func accept(_ connection: SocketAgent.Connection) {
    let (_, descriptor) = ServerPeer.pair(DiceServer())
    connection.send(SocketAgent.reply(), descriptor: descriptor)
    close(descriptor)
  }

  @Test func aManagerConnectsThroughTheAgent() async throws {
    let agent = Self.agent { Self.accept($0) }
    defer { agent.stop() }
    let manager = manager(agent)
    await expect("state poweredOn")
    let dice = try dice(manager)
    #expect(dice.name == "Dice")
    manager.connect(dice)
    await expect("connected connected")
    dice.discoverServices([DiceServer.batteryService].map { CBUUID($0) })
    await expect("services [\"180F\"]")
    dice.readRSSI()
    await expect("rssi -61")
    manager.cancelPeripheralConnection(dice)
    await expect("disconnected disconnected")
  }

  @Test(arguments: [
    (SocketAgent.failure("ConnectionFailed", 150, field: nil), 10),
    ("{\"error\":\"org.varlink.service.MethodNotFound\",\"parameters\":{\"method\":\"ReadRSSI\"}}", 13),
    (SocketAgent.reply("{}"), 10),
  ])
  func aSignalThatIsNotReadIsTyped(_ reply: String, _ mapped: Int) async throws {
    let agent = Self.agent({ Self.accept($0) }, readRSSI: { $0.send(reply) })
    defer { agent.stop() }
    let manager = manager(agent)
    await expect("state poweredOn")
    let dice = try dice(manager)
    manager.connect(dice)
    await expect("connected connected")
    dice.readRSSI()
    await expect("rssi 127 CBErrorDomain \(mapped)")
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
    let manager = manager(agent)
    await expect("state poweredOn")
    let dice = try dice(manager)
    manager.connect(dice)
    await expect("connected connected")
    #expect(dice.state == .connected)
  }

  /// Without a field it is the gateway that cannot connect at present.
  @Test(arguments: [("accessory.reach", 6), ("accessory.link", 10), (nil, 10)] as [(String?, Int)])
  func aFailureThatMayPassIsTyped(_ field: String?, _ mapped: Int) async throws {
    let agent = Self.agent { $0.send(SocketAgent.failure("ConnectionFailed", 150, field: field)) }
    defer { agent.stop() }
    let source = SessionSource(session: ASAccessorySession(gateway: ASGateway(socketPath: agent.path)))
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
    let manager = manager(agent)
    await expect("state poweredOn")
    let dice = try dice(manager)
    manager.connect(dice)
    await expect("connected connected")
    agent.stop()
    await expect("state resetting")
    let next = Self.agent(path: agent.path)
    defer { next.stop() }
    await expect("state poweredOn")
    #expect(dice.state == .connected)
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
        connection.send(
          SocketAgent.reply("{\"epoch\":\"\(SocketAgent.epoch)\",\"sequence\":0}", continues: true))
        connection.send(
          SocketAgent.reply(
            "{\"advertisement\":{\"sequence\":0,\"epoch\":\"\(SocketAgent.epoch)\","
              + "\"identifier\":\"\(SocketAgent.identifier("1"))\",\"rssi\":\(rssi),\"data\":\"03030f18050944696365\","
              + "\"event\":\"found\",\"inSight\":true,\"connectable\":true,\"time\":1,\"age\":0.5}}",
            continues: true))
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
