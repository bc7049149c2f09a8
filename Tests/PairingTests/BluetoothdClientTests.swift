// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import BusSupport
import HCI
import LinuxSystem
@testable import Pairing
import Testing

/// On a real bus, with programs that send whatever a test wants.
@Suite("The connection to bluetoothd")
struct BluetoothdClientTests {
  private static let device = "/org/bluez/hci0/dev_C4_A1_00_00_1E_27"
  private static let manager = "org.freedesktop.DBus.ObjectManager"
  private static let properties = "org.freedesktop.DBus.Properties"

  /// A connection whose events a test waits for.
  private struct Client: ~Copyable {
    struct Silent: Error {}

    var bus = BluetoothdClient()
    private let socket: Descriptor
    private var events: [BusEvent] = []
    private var lastCall: UInt64 = 0

    private init(_ socket: consuming Descriptor) { self.socket = socket }

    static func open(on daemon: TestBus) throws -> Client {
      Client(try UnixConnection.open(path: daemon.path))
    }

    /// Sends what waits to be sent.
    mutating func flush() throws {
      while !bus.unsent.isEmpty {
        if let count = try socket.write(bus.unsent[...]) { bus.wasSent(count) }
      }
    }

    /// Returns the next event; waits for it for at most 30 seconds.
    mutating func next() throws -> BusEvent {
      let end = try MonotonicInstant.now().advanced(seconds: 30)
      var buffer = [UInt8](repeating: 0, count: 1 << 14)
      while events.isEmpty {
        try flush()
        let ready = try Polling.wait([Polling.Entry(socket.number, .readable)], until: end)
        guard ready.first?.isEmpty == false else { throw Silent() }
        if let count = try socket.read(into: &buffer) { events = bus.receive(buffer[..<count]) }
      }
      // What was received may have been refused.
      try flush()
      return events.removeFirst()
    }

    mutating func next(_ count: Int) throws -> [BusEvent] { try (0..<count).map { _ in try next() } }

    /// Makes a call that the program with bluetoothd's name has yet to reply to. Returns its number.
    mutating func call(_ method: BusCall.Method) throws -> UInt64 {
      lastCall += 1
      let call = BusCall(number: lastCall, method: method, milliseconds: 30_000)
      #expect(bus.send(call, at: Instant(microseconds: 0)) == nil)
      try flush()
      return lastCall
    }

    /// Returns whether the question waited for an answer.
    mutating func answer(_ question: UInt64, _ answer: BusAnswer) throws -> Bool {
      let call = BusCall(number: 0, method: .answer(question: question, answer), milliseconds: 0)
      #expect(bus.send(call, at: Instant(microseconds: 0)) == nil)
      defer { try? flush() }
      return !bus.unsent.isEmpty
    }

    /// Registers the agent. Returns the name of this connection on the bus.
    mutating func registerAgent(at bluetoothd: inout BusProgram) throws -> String {
      let number = try call(.registerAgent(.keyboardDisplay))
      let call = try bluetoothd.nextCall(of: "RegisterAgent")
      try bluetoothd.reply(to: call)
      #expect(try next() == .reply(to: number, nil))
      return try #require(call.sender)
    }
  }

  /// Begins with a bluetoothd that the client has seen.
  private static func withBluetoothd(
    _ body: (TestBus, inout BusProgram, inout Client) throws -> Void
  ) throws {
    let daemon = try TestBus()
    var bluetoothd = try BusProgram.open(on: daemon)
    try bluetoothd.becomeBluetoothd()
    var client = try Client.open(on: daemon)
    #expect(try client.next() == .owner(isRunning: true))
    try body(daemon, &bluetoothd, &client)
  }

  private static func ask(
    _ method: String, _ bluetoothd: inout BusProgram, _ client: String, _ signature: String,
    _ body: (inout BusBytes) -> Void = { _ in }
  ) throws -> UInt64 {
    try bluetoothd.call(
      method, "org.bluez.Agent1", path: "/io/accessoryd/agent", to: client, signature, body)
  }

  private static func confirm(_ bluetoothd: inout BusProgram, _ client: String, _ digits: UInt64) throws
    -> UInt64
  {
    try ask("RequestConfirmation", &bluetoothd, client, "ou") { body in
      body.string(device)
      body.number(digits, 4)
    }
  }

  /// A device that is there and paired.
  private static func add(_ path: String, _ bluetoothd: inout BusProgram) throws {
    try bluetoothd.signal("InterfacesAdded", manager, "oa{sa{sv}}") { body in
      body.string(path)
      body.interface("org.bluez.Device1") { properties in
        properties.property("Address", "s") { $0.string("C4:A1:00:00:1E:27") }
        properties.property("AddressType", "s") { $0.string("random") }
        properties.property("Adapter", "o") { $0.string("/org/bluez/hci0") }
        properties.property("Paired", "b") { $0.number(1, 4) }
      }
    }
  }

  private static let added = BusEvent.device(
    path: device,
    .init(addressBits: 0xC4A1_0000_1E27, addressType: .random, adapter: "/org/bluez/hci0", isPaired: true))

  // MARK: - The owner of the name

  @Test("bluetoothd's start and end are reported, and both when one bluetoothd follows another directly")
  func owner() throws {
    let daemon = try TestBus()
    var client = try Client.open(on: daemon)
    #expect(try client.next() == .owner(isRunning: false))
    var first = try BusProgram.open(on: daemon)
    try first.becomeBluetoothd()
    #expect(try client.next() == .owner(isRunning: true))
    var second = try BusProgram.open(on: daemon)
    try second.becomeBluetoothd()
    #expect(try client.next(2) == [.owner(isRunning: false), .owner(isRunning: true)])
    try Self.add(Self.device, &second)
    #expect(try client.next() == Self.added)
    try second.stopBeingBluetoothd()
    // The first one waits for the name.
    #expect(try client.next(2) == [.owner(isRunning: false), .owner(isRunning: true)])
    try first.stopBeingBluetoothd()
    #expect(try client.next() == .owner(isRunning: false))
  }

  // MARK: - Questions

  @Test("Eight questions wait for answers, a ninth is refused; the end of a bluetoothd makes room again")
  func questions() throws {
    try Self.withBluetoothd { daemon, first, client in
      let name = try client.registerAgent(at: &first)
      for digits in 1...8 {
        _ = try Self.confirm(&first, name, UInt64(digits))
        #expect(
          try client.next()
            == .question(token: UInt64(digits), .confirmation(UInt32(digits)), device: Self.device))
      }
      let ninth = try Self.confirm(&first, name, 9)
      var second = try BusProgram.open(on: daemon)
      try second.becomeBluetoothd()
      #expect(try client.next(2) == [.owner(isRunning: false), .owner(isRunning: true)])
      #expect(try first.reply(to: ninth).error == "org.bluez.Error.Rejected")
      // The new one's question has a place, and the old one's can be answered no more.
      let tenth = try Self.confirm(&second, name, 10)
      #expect(try client.next() == .question(token: 9, .confirmation(10), device: Self.device))
      #expect(try client.answer(1, .accept) == false)
      #expect(try client.answer(9, .accept) == true)
      #expect(try second.reply(to: tenth).kind == .reply)
      #expect(try client.answer(9, .accept) == false)
    }
  }

  @Test("Questions that bluetoothd withdraws make room, and an answer has its form")
  func withdrawn() throws {
    try Self.withBluetoothd { _, bluetoothd, client in
      let name = try client.registerAgent(at: &bluetoothd)
      for round in 0..<3 {
        for index in 1...8 {
          _ = try Self.ask("RequestPasskey", &bluetoothd, name, "o") { $0.string(Self.device) }
          #expect(
            try client.next()
              == .question(token: UInt64(8 * round + index), .passkey, device: Self.device))
        }
        let cancelled = try Self.ask("Cancel", &bluetoothd, name, "")
        #expect(try client.next() == .questionsCancelled)
        #expect(try bluetoothd.reply(to: cancelled).kind == .reply)
      }
      let passkey = try Self.ask("RequestPasskey", &bluetoothd, name, "o") { $0.string(Self.device) }
      #expect(try client.next() == .question(token: 25, .passkey, device: Self.device))
      #expect(try client.answer(25, .digits(123_456)) == true)
      #expect(try bluetoothd.reply(to: passkey).body == [0x40, 0xE2, 0x01, 0x00])
      let released = try Self.ask("Release", &bluetoothd, name, "")
      #expect(try client.next() == .questionsCancelled)
      #expect(try bluetoothd.reply(to: released).kind == .reply)
    }
  }

  // MARK: - Wrong messages

  @Test("Signals whose contents are wrong are counted, and those after them are read")
  func wrongSignals() throws {
    try Self.withBluetoothd { _, bluetoothd, client in
      _ = try client.call(.followProperties(true))
      _ = try client.registerAgent(at: &bluetoothd)
      try bluetoothd.signal("InterfacesAdded", Self.manager, "s") { $0.string("no path") }
      #expect(try client.next() == .malformed)
      // The interfaces are missing.
      try bluetoothd.signal("InterfacesAdded", Self.manager, "o") { $0.string(Self.device) }
      #expect(try client.next() == .malformed)
      try bluetoothd.signal("InterfacesRemoved", Self.manager, "os") { body in
        body.string(Self.device)
        body.string("org.bluez.Device1")
      }
      #expect(try client.next() == .malformed)
      try bluetoothd.signal("PropertiesChanged", Self.properties, path: Self.device, "s") {
        $0.string("org.bluez.Device1")
      }
      #expect(try client.next() == .malformed)
      // One property has the wrong type; the others of the message count.
      try bluetoothd.signal("PropertiesChanged", Self.properties, path: Self.device, "sa{sv}as") { body in
        body.string("org.bluez.Device1")
        body.array(8) { properties in
          properties.property("Paired", "s") { $0.string("yes") }
          properties.property("Address", "u") { $0.number(7, 4) }
          properties.property("AddressType", "s") { $0.string("random") }
          properties.property("RSSI", "n") { $0.number(0xFFC4, 2) }
        }
        body.array(4) { _ in }
      }
      var properties = BusEvent.Properties()
      properties.addressType = .random
      #expect(try client.next(3) == [.malformed, .malformed, .device(path: Self.device, properties)])
      // The signal strength alone means nothing here.
      try bluetoothd.signal("PropertiesChanged", Self.properties, path: Self.device, "sa{sv}as") { body in
        body.string("org.bluez.Device1")
        body.array(8) { properties in properties.property("RSSI", "n") { $0.number(0xFFC4, 2) } }
        body.array(4) { _ in }
      }
      // A path that is longer than any of bluetoothd, and an interface that means nothing here, are passed over.
      try Self.add("/org/bluez/" + String(repeating: "a", count: 300), &bluetoothd)
      try bluetoothd.signal("PropertiesChanged", Self.properties, path: Self.device, "sa{sv}as") { body in
        body.string("org.bluez.Battery1")
        body.array(8) { _ in }
        body.array(4) { _ in }
      }
      try Self.add(Self.device, &bluetoothd)
      #expect(try client.next() == Self.added)
    }
  }

  @Test("Questions whose arguments are wrong, and methods that the agent has not, are refused")
  func wrongQuestions() throws {
    try Self.withBluetoothd { _, bluetoothd, client in
      let name = try client.registerAgent(at: &bluetoothd)
      let wrong = [
        try Self.ask("RequestConfirmation", &bluetoothd, name, "os") { body in
          body.string(Self.device)
          body.string("123456")
        },
        try Self.ask("RequestPasskey", &bluetoothd, name, ""),
        try Self.ask("DisplayPasskey", &bluetoothd, name, "ou") { body in
          body.string(Self.device)
          body.number(1, 4)
        },
        try Self.ask("RequestPasskey", &bluetoothd, name, "o") {
          $0.string("/" + String(repeating: "a", count: 300))
        },
      ]
      #expect(try client.next(4) == [.malformed, .malformed, .malformed, .malformed])
      for serial in wrong {
        #expect(try bluetoothd.reply(to: serial).error == "org.bluez.Error.Rejected")
      }
      let unknown = try Self.ask("RequestTea", &bluetoothd, name, "o") { $0.string(Self.device) }
      let good = try Self.confirm(&bluetoothd, name, 5)
      #expect(try client.next() == .question(token: 1, .confirmation(5), device: Self.device))
      #expect(try bluetoothd.reply(to: unknown).error == "org.freedesktop.DBus.Error.UnknownMethod")
      #expect(try client.answer(1, .refuse) == true)
      #expect(try bluetoothd.reply(to: good).error == "org.bluez.Error.Rejected")
    }
  }

  @Test("A list that cannot be read has an error, and the next one is read")
  func wrongList() throws {
    try Self.withBluetoothd { _, bluetoothd, client in
      let wrong = try client.call(.listObjects)
      try bluetoothd.reply(to: try bluetoothd.nextCall(of: "GetManagedObjects"), "s") { $0.string("none") }
      #expect(
        try client.next(2)
          == [.malformed, .reply(to: wrong, BusCallError(name: "io.accessoryd.IncompleteList"))])
      let good = try client.call(.listObjects)
      try bluetoothd.reply(to: try bluetoothd.nextCall(of: "GetManagedObjects"), "a{oa{sa{sv}}}") { body in
        body.array(8) { objects in
          objects.object(Self.device, "org.bluez.Device1") { properties in
            properties.property("Address", "s") { $0.string("C4:A1:00:00:1E:27") }
            properties.property("AddressType", "s") { $0.string("random") }
            properties.property("Adapter", "o") { $0.string("/org/bluez/hci0") }
            properties.property("Paired", "b") { $0.number(1, 4) }
          }
        }
      }
      #expect(try client.next(2) == [Self.added, .reply(to: good, nil)])
    }
  }

  // MARK: - Other programs

  @Test("Another program's signals and questions are counted as such, and its questions are refused")
  func otherProgram() throws {
    try Self.withBluetoothd { daemon, bluetoothd, client in
      let name = try client.registerAgent(at: &bluetoothd)
      var other = try BusProgram.open(on: daemon)
      let question = try Self.confirm(&other, name, 1)
      #expect(try client.next() == .otherProgram)
      #expect(try other.reply(to: question).error == "org.bluez.Error.Rejected")
      // The bus has none but bluetoothd's signals delivered to all; one can be sent to this connection alone.
      try other.signal("InterfacesRemoved", Self.manager, to: name, "oas") { body in
        body.string(Self.device)
        body.array(4) { $0.string("org.bluez.Device1") }
      }
      #expect(try client.next() == .otherProgram)
      try Self.add(Self.device, &bluetoothd)
      #expect(try client.next() == Self.added)
    }
  }

  // MARK: - Calls

  @Test("Each call has the arguments that bluetoothd documents; its error has a name and a text")
  func calls() throws {
    try Self.withBluetoothd { _, bluetoothd, client in
      let calls: [(BusCall.Method, String, String, String)] = [
        (.unregisterAgent, "UnregisterAgent", "org.bluez.AgentManager1", "/org/bluez"),
        (.setDiscoveryFilter(adapter: "/a"), "SetDiscoveryFilter", "org.bluez.Adapter1", "/a"),
        (.startDiscovery(adapter: "/a"), "StartDiscovery", "org.bluez.Adapter1", "/a"),
        (.stopDiscovery(adapter: "/a"), "StopDiscovery", "org.bluez.Adapter1", "/a"),
        (.removeDevice("/a/d", adapter: "/a"), "RemoveDevice", "org.bluez.Adapter1", "/a"),
        (.pair("/d"), "Pair", "org.bluez.Device1", "/d"),
        (.cancelPairing("/d"), "CancelPairing", "org.bluez.Device1", "/d"),
        (.disconnect("/d"), "Disconnect", "org.bluez.Device1", "/d"),
        (.trust("/d"), "Set", Self.properties, "/d"),
      ]
      for (method, member, interface, path) in calls {
        let number = try client.call(method)
        let call = try bluetoothd.nextCall(of: member)
        #expect(call.fields.contains(.interface(interface)) && call.fields.contains(.path(path)))
        var body = BusBytes()
        switch method {
        case .unregisterAgent: body.string("/io/accessoryd/agent")
        case .removeDevice: body.string("/a/d")
        case .setDiscoveryFilter:
          body.array(8) { entries in entries.property("Transport", "s") { $0.string("le") } }
        case .trust:
          body.string("org.bluez.Device1")
          body.string("Trusted")
          body.variant("b") { $0.number(1, 4) }
        default: break
        }
        #expect(call.body == body.bytes)
        try bluetoothd.refuse(call, "org.bluez.Error.NotReady", "Resource Not Ready")
        let error = BusCallError(name: "org.bluez.Error.NotReady", text: "Resource Not Ready")
        #expect(try client.next() == .reply(to: number, error))
      }
    }
  }

  @Test("A call without a reply ends with an error; a bus that ends, with the pairing's error")
  func ends() {
    var client = BluetoothdClient()
    let call = BusCall(number: 7, method: .pair("/d"), milliseconds: 1000)
    #expect(client.send(call, at: Instant(microseconds: 5)) == nil)
    #expect(client.deadline == Instant(microseconds: 1_000_005))
    let error = BusCallError(name: "org.freedesktop.DBus.Error.NoReply")
    #expect(client.advance(to: Instant(microseconds: 1_000_005)) == [.reply(to: 7, error)])
    #expect(client.close() == [.closed(.bluetoothdChanged)] && client.deadline == nil)
    client = BluetoothdClient()
    #expect(client.receive(Array("REJECTED EXTERNAL\r\n".utf8)[...]) == [.closed(.notPermitted)])
    client = BluetoothdClient()
    let refusal = BusBytes.message(
      .error, serial: 1, [.replySerial(1), .error("org.freedesktop.DBus.Error.AccessDenied")])
    #expect(client.receive((Array("OK\r\n".utf8) + refusal)[...]) == [.closed(.notPermitted)])
  }
}
