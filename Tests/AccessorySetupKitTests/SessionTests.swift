// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AccessorySetupKit
import Glibc
import JSON
import SessionSupport
import Testing
import Varlink

/// Sessions with an agent at a real socket.
@Suite(.timeLimit(.minutes(30))) struct SessionTests {
  private static let queue = DispatchQueue(label: "app")

  /// Collects what a session tells, and wakes a test that waits for it.
  private final class Log: Sendable {
    private let state = Locked<(words: [String], waiting: [(Int, CheckedContinuation<Void, Never>)])>(
      ([], []))

    func note(_ word: String) {
      let ready = state.withLock { state in
        state.words.append(word)
        let count = state.words.count
        let ready = state.waiting.filter { $0.0 <= count }.map(\.1)
        state.waiting.removeAll { $0.0 <= count }
        return ready
      }
      for continuation in ready { continuation.resume() }
    }

    /// The words, as soon as there are this many.
    func words(_ count: Int) async -> [String] {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let isReady = state.withLock { state in
          guard state.words.count < count else { return true }
          state.waiting.append((count, continuation))
          return false
        }
        if isReady { continuation.resume() }
      }
      return state.withLock { $0.words }
    }
  }

  /// Activates a session that notes its events: the type, and how many accessories there are then.
  private static func start(_ agent: SocketAgent, _ log: Log) -> ASAccessorySession {
    let session = ASAccessorySession(gateway: ASGateway(socketPath: agent.path))
    session.activate(on: queue) { [weak session] event in
      dispatchPrecondition(condition: .onQueue(queue))
      let name = event.accessory.map { " \($0.displayName)" } ?? ""
      log.note("\(event.eventType.rawValue)\(name), \(session?.accessories.count ?? -1)")
    }
    return session
  }

  private static func word(_ name: String, _ error: (any Error)?) -> String {
    "\(name): \(error.map { "\(($0 as? ASError)?.code.rawValue ?? -1)" } ?? "done")"
  }

  @Test func `a picker runs from activated to its completion, in this order, on the app's queue`() async {
    let agent = SocketAgent(["ShowPicker": { SocketAgent.addAccessory($0) }])
    defer { agent.stop() }
    let log = Log()
    let session = Self.start(agent, log)
    session.showPicker { error in
      dispatchPrecondition(condition: .onQueue(Self.queue))
      log.note(Self.word("showPicker", error))
    }
    #expect(
      await log.words(5) == ["10, 0", "40, 0", "30 Lamp, 1", "50, 1", "showPicker: done"])
    #expect(session.radioState == .on)
    let accessory = session.accessories[0]
    #expect(accessory.state == .authorized && accessory.ssid == "Net" && accessory.bond == .bonded)
    #expect(accessory.bluetoothIdentifier?.uuidString == "00112233-4455-6677-8899-AABBCCDDEEFF")
    #expect(accessory.bluetoothTransportBridgingIdentifier == Data([1, 2, 3, 4, 5, 255]))
    #expect(accessory.descriptor.bluetoothServiceUUID == CBUUID(string: "fe0f"))
    #expect(accessory.descriptor.bluetoothCompanyIdentifier.rawValue == 76)
    session.invalidate()
    #expect(await log.words(6).last == "11, 0")
  }

  @Test func `a network that a filtered picker found has its name, and nothing of Bluetooth`() async {
    let network =
      "{\"discovered\":1,\"itemIndex\":0,\"item\":\"camera\",\"time\":1.0,\"ssid\":\"Cam-1\",\"signal\":-44}"
    let agent = SocketAgent([
      "ShowPicker": { connection in
        let picker = SocketAgent.presentPicker(connection)
        connection.stream?.send(
          SocketAgent.event("accessoryDiscovered", 33, 1, "\(picker),\"discovered\":\(network)"))
      }
    ])
    defer { agent.stop() }
    let log = Log()
    let session = ASAccessorySession(gateway: ASGateway(socketPath: agent.path))
    session.activate(on: Self.queue) { event in
      guard let found = event.accessory as? ASDiscoveredAccessory else { return }
      log.note(found.ssid ?? "no name")
      log.note(found.displayName)
      log.note(found.bluetoothAdvertisementData == nil && found.bluetoothRSSI == nil ? "nothing" : "some")
    }
    session.showPicker { _ in }
    #expect(await log.words(3) == ["Cam-1", "Cam-1", "nothing"])
    session.invalidate()
  }

  @Test func `errors are ASError with reason, cure and field`() async {
    let agent = SocketAgent([
      "FinishPickerDiscovery": { $0.send(SocketAgent.failure("InvalidRequest", 450)) }
    ])
    defer { agent.stop() }
    let session = Self.start(agent, Log())
    do {
      try await session.finishPickerDiscovery()
      Issue.record("the call succeeded")
    } catch {
      let error = error as? ASError
      #expect(error?.code == .invalidRequest && error?.localizedDescription == "in displayItems, why; what")
      #expect(error?.userInfo["ASErrorFieldKey"] as? String == "displayItems")
      #expect((error as NSError?)?.localizedRecoverySuggestion == "what")
    }
    session.invalidate()
  }

  @Test func `what is wrong in itself is refused with its field, without asking the agent`() async {
    let agent = SocketAgent(accessories: [SocketAgent.accessory("1")])
    defer { agent.stop() }
    let log = Log()
    let session = Self.start(agent, log)
    _ = await log.words(1)
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothManufacturerDataMask = Data([1])
    let item = ASPickerDisplayItem(name: "Die", productImage: UIImage(), descriptor: descriptor)
    let empty = ASMigrationDisplayItem(
      name: "Old", productImage: UIImage(), descriptor: ASDiscoveryDescriptor())
    let masked = ASDiscoveryDescriptor()
    masked.bluetoothServiceDataMask = Data([1])
    let half = ASPickerDisplayItem(name: "Half", productImage: UIImage(), descriptor: masked)
    let settings = ASAccessorySettings()
    settings.bluetoothTransportBridgingIdentifier = Data([1])
    let accessory = session.accessories[0]
    let discovered = ASDiscoveredAccessory(
      accessory.line, descriptor: descriptor, number: 1, payload: [], rssi: nil, isConnectable: nil)
    session.showPicker(for: [item]) { log.note(Self.field($0)) }
    session.showPicker(for: [item, empty]) { log.note(Self.field($0)) }
    session.showPicker(for: [empty]) { log.note(Self.field($0)) }
    session.showPicker(for: [half]) { log.note(Self.field($0)) }
    session.finishAuthorization(for: accessory, settings: settings) { log.note(Self.field($0)) }
    session.removeAccessory(discovered) { log.note(Self.field($0)) }
    session.pickerDisplaySettings = .default
    session.pickerDisplaySettings?.discoveryTimeout = .init(-1)
    session.showPicker { log.note(Self.field($0)) }
    #expect(
      await log.words(8).dropFirst() == [
        "displayItems[0].descriptor.bluetoothManufacturerDataMask",
        "displayItems[0].descriptor.bluetoothManufacturerDataMask",
        "displayItems[0].peripheralIdentifier", "displayItems[0].descriptor.bluetoothServiceDataMask",
        "bluetoothTransportBridgingIdentifier", "accessory", "pickerDisplaySettings.discoveryTimeout",
      ])
    #expect(agent.calledMethods == ["Activate"])
    session.invalidate()
  }

  @Test(arguments: [
    ("items[0].migrate.ssid", "displayItems[0].hotspotSSID"),
    ("items[31].migrate.bluetoothIdentifier", "displayItems[31].peripheralIdentifier"),
    ("items[0].migrate.wifiAwarePairedDeviceID", "displayItems[0].wifiAwarePairedDeviceID"),
    ("items[0].descriptor.ssid", "displayItems[0].descriptor.ssid"),
    (
      "items[0].descriptor.wifiAwareModelNameMatch.string",
      "displayItems[0].descriptor.wifiAwareModelNameMatch.string"
    ),
    ("session", "no field"),
  ])
  func `a field that the agent refuses has the app's name`(_ name: String, _ property: String) async {
    let agent = SocketAgent([
      "ShowPicker": { $0.send(SocketAgent.failure("InvalidRequest", 450, field: name)) }
    ])
    defer { agent.stop() }
    let log = Log()
    let session = Self.start(agent, log)
    let item = ASMigrationDisplayItem(
      name: "Old", productImage: UIImage(), descriptor: ASDiscoveryDescriptor())
    item.hotspotSSID = "Net"
    session.showPicker(for: [item]) { log.note(Self.field($0)) }
    #expect(await log.words(2).last == property)
    session.invalidate()
  }

  private static func field(_ error: (any Error)?) -> String {
    guard let error = error as? ASError, error.code == .invalidRequest else { return "\(error as Any)" }
    return error.userInfo["ASErrorFieldKey"] as? String ?? "no field"
  }

  @Test func `an agent that is killed and comes back goes on with what has changed`() async {
    let log = Log()
    let first = SocketAgent(accessories: [SocketAgent.accessory("1")])
    let session = Self.start(first, log)
    #expect(await log.words(1) == ["10, 1"])
    first.stop()
    let second = SocketAgent(path: first.path) { call, connection in
      guard call.method == "Activate" else { return connection.send(SocketAgent.reply()) }
      guard call.parameters["session"] == nil else {
        return connection.send(SocketAgent.failure("Invalidated", 400))
      }
      SocketAgent.activate(connection, [SocketAgent.accessory("2", name: "Bulb")])
    }
    defer { second.stop() }
    #expect(await log.words(3) == ["10, 1", "31 Lamp, 0", "30 Bulb, 1"])
    session.invalidate()
  }

  @Test func `Connect passes a descriptor to the app`() async throws {
    var ends: [Int32] = [0, 0]
    #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    let passed = ends[1]
    let agent = SocketAgent(
      accessories: [SocketAgent.accessory("1")],
      ["Connect": { $0.send(SocketAgent.reply(), descriptor: passed) }])
    defer { agent.stop() }
    let log = Log()
    let session = Self.start(agent, log)
    _ = await log.words(1)
    let descriptor = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Int32, any Error>) in
      session.connect(to: session.accessories[0]) { result in
        continuation.resume(with: result.mapError { $0 as any Error })
      }
    }
    var byte: UInt8 = 7
    #expect(unsafe send(ends[0], &byte, 1, 0) == 1)
    byte = 0
    #expect(unsafe recv(descriptor, &byte, 1, 0) == 1)
    #expect(byte == 7)
    for descriptor in [ends[0], ends[1], descriptor] { close(descriptor) }
    session.invalidate()
  }

  @Test func `a queue that is blocked loses nothing`() async {
    let agent = SocketAgent([
      "Activate": { connection in
        SocketAgent.activate(connection)
        for number in 0..<500 {
          let (name, type) = number.isMultiple(of: 2) ? ("accessoryAdded", 30) : ("accessoryRemoved", 31)
          connection.send(
            SocketAgent.event(name, type, number, "\"accessory\":\(SocketAgent.accessory("1"))"))
        }
      }
    ])
    defer { agent.stop() }
    let log = Log()
    let gate = DispatchSemaphore(value: 0)
    Self.queue.async { gate.wait() }
    let session = Self.start(agent, log)
    while agent.calledMethods.isEmpty { await Task.yield() }
    gate.signal()
    let words = await log.words(501)
    #expect(words.count == 501 && words[1] == "30 Lamp, 1" && words[500] == "31 Lamp, 0")
    session.invalidate()
  }

  @Test func `nothing is left of a session that is let go, invalidated or not`() async {
    final class Owner: Sendable {}
    let agent = SocketAgent(
      accessories: [SocketAgent.accessory("1")],
      ["ShowPicker": { $0.send(SocketAgent.reply("{\"picker\":\"p1\"}")) }])
    defer { agent.stop() }
    for isInvalidated in [true, false] {
      weak var weakSession: ASAccessorySession?
      weak var weakOwner: Owner?
      weak var weakAccessory: ASAccessory?
      let log = Log()
      do {
        let session = ASAccessorySession(gateway: ASGateway(socketPath: agent.path))
        let owner = Owner()
        (weakSession, weakOwner) = (session, owner)
        session.activate(on: Self.queue) { [owner] event in
          withExtendedLifetime(owner) { log.note("\(event.eventType.rawValue)") }
        }
        session.showPicker { log.note(Self.word("showPicker", $0)) }
        _ = await log.words(1)
        weakAccessory = session.accessories.first
        #expect(weakAccessory != nil)
        if isInvalidated { session.invalidate() }
      }
      // The picker's completion comes in both cases.
      let words = await log.words(isInvalidated ? 3 : 2)
      #expect(words == (isInvalidated ? ["10", "showPicker: 400", "11"] : ["10", "showPicker: 400"]))
      // The last delivery lets go of everything; the suite's time limit is for one that does not.
      while weakSession != nil || weakOwner != nil || weakAccessory != nil { await Task.yield() }
    }
  }

  @Test func `after invalidate every call fails with invalidated, and no event follows`() async {
    let agent = SocketAgent()
    defer { agent.stop() }
    let log = Log()
    let session = Self.start(agent, log)
    _ = await log.words(1)
    session.invalidate()
    session.invalidate()
    session.finishPickerDiscovery { log.note(Self.word("finish", $0)) }
    #expect(await log.words(3) == ["10, 0", "11, 0", "finish: 400"])
    session.activate(on: Self.queue) { _ in log.note("again") }
    await #expect(throws: ASError.self) { try await session.cancelPicker() }
    #expect(await log.words(3).count == 3)
  }

  @Test func `advertisements come as a stream that ends with the session`() async throws {
    let agent = SocketAgent(
      accessories: [SocketAgent.accessory("1")],
      ["WatchAdvertisements": { SocketAgent.advertise($0, data: "03ff4c000716d2fc4002ca09") }])
    defer { agent.stop() }
    let session = Self.start(agent, Log())
    var code: ASError.Code?
    do {
      for try await advertisement in session.advertisements() {
        #expect(advertisement.event == .found && advertisement.rssi == -40 && advertisement.age == 0.5)
        #expect(advertisement.accessory.displayName == "Lamp")
        #expect(
          advertisement.bluetoothAdvertisementData[CBAdvertisementDataManufacturerDataKey] as? Data
            == Data([0x4C, 0x00]))
        let values = advertisement.values
        #expect(values.map(\.name) == ["temperature"] && values.first?.unit == "°C")
        #expect(values.first?.content == .number(25.06))
        session.invalidate()
      }
    } catch {
      code = (error as? ASError)?.code
    }
    #expect(code == .invalidated)
  }
}
