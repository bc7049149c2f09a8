// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import CoreBluetooth
import Foundation
import GATT
import GATTSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct ManagerStateTests {
  @Test func theStateIsPoweredOnWithAnAccessoryAndARadio() async throws {
    let source = SourceModel()
    let recorder = EventRecorder()
    let manager = CBCentralManager(delegate: recorder, queue: recorder.queue, source: source)
    #expect(manager.state == .unknown)
    while source.isWaitingForStart { await Task.yield() }
    source.send(.radio(.poweredOn))
    source.send(.accessories([:]))
    #expect(await recorder.next() == "state poweredOff")
    source.send(.accessories([CentralHarness.identifier: "Dice"]))
    #expect(await recorder.next() == "state poweredOn")
    for state in [CBManagerState.poweredOff, .resetting, .unsupported, .unauthorized, .poweredOn] {
      source.send(.radio(state))
      #expect(await recorder.next() == "state \(state)")
    }
    source.send(.radio(.poweredOn))
    source.send(.accessories([:]))
    #expect(await recorder.next() == "state poweredOff")
    #expect(manager.state == .poweredOff)
  }

  @Test func onlyTheAppsAccessoriesAreRetrieved() async throws {
    let app = try await CentralHarness()
    let again = app.manager?.retrievePeripherals(withIdentifiers: [UUID(), CentralHarness.identifier])
    #expect(again == [try #require(app.peripheral)])
    #expect(again?.first === app.peripheral)
    #expect(app.peripheral?.name == "Dice")
    #expect(app.manager?.retrieveConnectedPeripherals(withServices: [CentralHarness.service]) == [])
  }

  @Test func anIdentifierThatIsNoAccessoryFailsOnceTheAccessoriesAreKnown() async throws {
    let source = SourceModel()
    let recorder = EventRecorder()
    let manager = CBCentralManager(delegate: recorder, queue: recorder.queue, source: source)
    let peripheral = try #require(manager.retrievePeripherals(withIdentifiers: [UUID()]).first)
    source.answer(.wait)
    manager.connect(peripheral)
    #expect(peripheral.state == .connecting)
    while source.attempts == 0 { await Task.yield() }
    source.send(.accessories([:]))
    #expect(await recorder.next() == "failed disconnected CBErrorDomain 12")
  }

  @Test func aNewNameIsReported() async throws {
    let app = try await CentralHarness()
    app.source.send(.accessories([CentralHarness.identifier: "Dice 2"]))
    await app.expect("name Dice 2")
  }

  /// In the smallest packets only the beginning of the second name fits into the first response.
  @Test(arguments: [("Lumo 7", 517), ("A name of more than nineteen bytes", 23)])
  func aPeripheralHasTheNameThatItGivesItself(_ name: String, _ mtu: Int) async throws {
    let app = try await CentralHarness { server in
      server.model.mtuMax = mtu
      server.model.addService(AttributeUUID(0x1800))
      server.model.addCharacteristic(.deviceName, properties: 0x02, value: Array(name.utf8))
    }
    let peripheral = try #require(app.peripheral)
    app.manager?.connect(peripheral)
    await app.expect("connected connected", "name \(name)")
    app.source.send(.accessories([CentralHarness.identifier: "Kitchen"]))
    app.manager?.cancelPeripheralConnection(peripheral)
    await app.expect("disconnected disconnected")
    #expect(peripheral.name == name)
  }

  @Test func distancesAreNotMeasured() async throws {
    let app = try await CentralHarness()
    app.peripheral?.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
    await app.expect("sounding CBErrorDomain 20")
    app.peripheral?.cancelChannelSoundingSession()
  }

  private class Delegate: NSObject, CBCentralManagerDelegate {
    var calls: [String] = []
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func centralManager(
      _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {}
  }

  private final class Subclass: Delegate {
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
      calls.append("connected")
    }
    override func centralManager(
      _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { calls.append("failed") }
  }

  /// What the guide says about subclasses of delegates.
  @Test func aMethodThatOnlyASubclassOfADelegateHasIsNotCalled() async throws {
    let app = try await CentralHarness()
    let (manager, peripheral) = (try #require(app.manager), try #require(app.peripheral))
    let subclass = Subclass()
    let delegate: any CBCentralManagerDelegate = subclass
    delegate.centralManager(manager, didConnect: peripheral)
    delegate.centralManager(manager, didFailToConnect: peripheral, error: nil)
    #expect(subclass.calls == ["failed"])
  }
}

@Suite(.timeLimit(.minutes(30))) struct ConnectionTests {
  @Test func aRefusalThatMayPassIsTriedAgain() async throws {
    let app = try await CentralHarness()
    app.source.answer(
      .refuse(.connectionFailed, isTemporary: true), .refuse(.connectionFailed, isTemporary: true), .accept)
    app.manager?.connect(try #require(app.peripheral))
    #expect(app.peripheral?.state == .connecting)
    await app.expect("connected connected")
    #expect(app.source.attempts == 3)
  }

  @Test func aRefusalThatLastsIsReported() async throws {
    let app = try await CentralHarness()
    app.source.answer(.refuse(.connectionLimitReached, isTemporary: false))
    app.manager?.connect(try #require(app.peripheral))
    await app.expect("failed disconnected CBErrorDomain 11")
    // The next one may succeed.
    app.manager?.connect(try #require(app.peripheral))
    await app.expect("connected connected")
  }

  @Test func aPendingConnectionCanBeCancelled() async throws {
    let app = try await CentralHarness()
    let peripheral = try #require(app.peripheral)
    app.source.answer(.wait)
    app.manager?.connect(peripheral)
    app.manager?.cancelPeripheralConnection(peripheral)
    await app.expect("disconnected disconnected")
    #expect(app.source.cancelled == 1)
    // Twice is once.
    app.manager?.cancelPeripheralConnection(peripheral)
    app.manager?.connect(peripheral)
    await app.expect("connected connected")
  }

  @Test func anEstablishedConnectionCanBeCancelled() async throws {
    let app = try await CentralHarness.connected()
    let peer = try app.peer
    app.peripheral?.readValue(for: try app.characteristic("FF01"))
    app.manager?.cancelPeripheralConnection(try #require(app.peripheral))
    let first = await app.recorder.next()
    #expect(["value FF01 06", "value FF01 nil CBErrorDomain 7"].contains(first))
    await app.expect("disconnected disconnected")
    peer.hasEnded.wait()
  }

  @Test func aLossIsReportedAndTheNextConnectionWorks() async throws {
    let app = try await CentralHarness.connected()
    let old = try app.characteristic("FF01")
    try app.peer.disconnect()
    await app.expect("disconnected disconnected CBErrorDomain 7")
    #expect(app.peripheral?.services == nil)
    app.peripheral?.readValue(for: old)
    await app.expect("value FF01 nil CBErrorDomain 3")
    try await app.connectAndDiscover()
    // Handles of an earlier connection are not used again.
    app.peripheral?.readValue(for: old)
    await app.expect("value FF01 nil CBErrorDomain 2")
    app.peripheral?.readValue(for: try app.characteristic("FF01"))
    await app.expect("value FF01 06")
  }

  @Test func aLossInTheMiddleOfOperationsFailsEachOfThem() async throws {
    let app = try await CentralHarness.connected()
    try app.peer.setSilent()
    app.peripheral?.readValue(for: try app.characteristic("FF01"))
    app.peripheral?.writeValue(Data([1]), for: try app.characteristic("FF01"), type: .withResponse)
    app.peripheral?.discoverServices([CentralHarness.service])
    while try !app.peer.received.contains([0x0A] + Self.bytes(try app.peer.server.settingHandle)) {
      await Task.yield()
    }
    try app.peer.disconnect()
    await app.expect(
      "value FF01 nil CBErrorDomain 7", "wrote FF01 CBErrorDomain 7",
      "services [\"1801\", \"180F\", \"12345678-1234-1234-1234-123456789ABC\"] CBErrorDomain 7",
      "disconnected disconnected CBErrorDomain 7")
  }

  private static func bytes(_ handle: UInt16) -> [UInt8] { [UInt8(handle & 0xFF), UInt8(handle >> 8)] }

  @Test func aConnectionIsMadeAgainWhenTheAppAsksForIt() async throws {
    let app = try await CentralHarness()
    let options = [CBConnectPeripheralOptionEnableAutoReconnect: NSNumber(value: true)]
    app.manager?.connect(try #require(app.peripheral), options: options)
    await app.expect("connected connected")
    try app.peer.disconnect()
    await app.expect("disconnected connecting CBErrorDomain 7", "connected connected")
    app.manager?.cancelPeripheralConnection(try #require(app.peripheral))
    await app.expect("disconnected disconnected")
  }

  @Test func anAccessoryThatIsRemovedDisconnects() async throws {
    let app = try await CentralHarness.connected()
    let peer = try app.peer
    app.source.send(.accessories([:]))
    await app.expect("disconnected disconnected CBErrorDomain 12", "state poweredOff")
    peer.hasEnded.wait()
    app.manager?.connect(try #require(app.peripheral))
    await app.expect("failed disconnected CBErrorDomain 12")
  }

  @Test func aPeripheralOfAnotherManagerIsRefused() async throws {
    let app = try await CentralHarness()
    let other = try await CentralHarness()
    let foreign = try #require(other.peripheral)
    other.manager?.connect(foreign)
    await other.expect("connected connected")
    app.manager?.connect(foreign)
    await app.expect("failed connected CBErrorDomain 12")
    app.manager?.cancelPeripheralConnection(foreign)
    foreign.readRSSI()
    await other.expect("rssi -61")
  }

  @Test func lettingGoOfThePeripheralEndsItsConnection() async throws {
    let app = try await CentralHarness()
    app.manager?.connect(try #require(app.peripheral))
    await app.expect("connected connected")
    let peer = try app.peer
    app.peripheral = nil
    peer.hasEnded.wait()
  }

  @Test func lettingGoOfTheManagerEndsEverything() async throws {
    let app = try await CentralHarness.connected()
    let peer = try app.peer
    weak let manager = app.manager
    app.manager = nil
    peer.hasEnded.wait()
    #expect(manager == nil)
    while app.peripheral?.state != .disconnected { await Task.yield() }
    app.peripheral?.readRSSI()
    app.peripheral?.discoverServices(nil)
    #expect(app.peripheral?.canSendWriteWithoutResponse == false)
    while !app.source.isStopped { await Task.yield() }
  }

  /// In each state that a connection can be in; nothing is reported or crashes, and no socket stays open.
  @Test func managersAndPeripheralsGoAwayInAnyState() async throws {
    for step in 0..<60 {
      let app = try await CentralHarness()
      if step.isMultiple(of: 3) { app.source.answer(.wait) }
      if step % 5 == 1 { app.source.answer(.refuse(.connectionFailed, isTemporary: true), .accept) }
      app.manager?.connect(try #require(app.peripheral))
      if step.isMultiple(of: 2) { app.peripheral?.discoverServices(nil) }
      if step % 4 == 3 { while app.source.attempts == 0 { await Task.yield() } }
      if step % 7 < 4 { app.peripheral = nil }
      app.manager = nil
      while !app.source.isStopped { await Task.yield() }
      for peer in app.source.peers { peer.hasEnded.wait() }
    }
  }
}
