// SPDX-License-Identifier: GPL-3.0-or-later

import BusSupport
import LinuxSystem
import Testing

/// The connection to bluetoothd, on a real bus with programs that send whatever a test wants.
@Suite("Messages of bluetoothd over the system bus")
struct SystemBusTests {
  private static let device = "/org/bluez/hci0/dev_C4_A1_00_00_1E_27"
  private static let manager = "org.freedesktop.DBus.ObjectManager"
  private static let properties = "org.freedesktop.DBus.Properties"

  /// A connection whose messages a test waits for.
  private struct Client: ~Copyable {
    struct Silent: Error {}

    let bus: SystemBus
    private var epoll: Epoll

    private init(_ bus: SystemBus, _ epoll: consuming Epoll) {
      self.bus = bus
      self.epoll = epoll
    }

    static func open(on daemon: TestBus) throws -> Client {
      let bus = try SystemBus(path: daemon.path)
      let epoll = try Epoll()
      try bus.watch(in: epoll, bus.conditions, token: 1)
      return Client(bus, epoll)
    }

    /// Returns the next message; waits for it for at most 30 seconds.
    mutating func next() throws -> SystemBusMessage { try wait { $0.nextMessage() } }

    /// Reads none of the messages until this many were dropped.
    mutating func overflow(_ count: UInt32) throws { try wait { $0.droppedCount >= count ? () : nil } }

    private mutating func wait<Result>(for result: (SystemBus) -> Result?) throws -> Result {
      let end = try MonotonicInstant.now().advanced(seconds: 30)
      while true {
        while try bus.process() {}
        if let result = result(bus) { return result }
        guard try MonotonicInstant.now() < end else { throw Silent() }
        try bus.changeWatch(in: epoll, bus.conditions, token: 1)
        _ = try epoll.wait(milliseconds: 1000)
      }
    }

    mutating func next(_ count: Int) throws -> [SystemBusMessage] { try (0..<count).map { _ in try next() } }

    /// Makes a call that the program with bluetoothd's name has yet to reply to.
    func call(_ call: SystemBusCall) throws -> UInt64 {
      let token = try bus.call(call, milliseconds: 30_000)
      while try bus.process() {}
      return token
    }

    /// Registers the agent. Returns the name of this connection on the bus.
    mutating func registerAgent(at bluetoothd: inout BusProgram) throws -> String {
      let token = try call(.registerAgent("KeyboardDisplay"))
      let call = try bluetoothd.nextCall(of: "RegisterAgent")
      try bluetoothd.reply(to: call)
      #expect(try next() == .reply(token: token, error: nil, text: ""))
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

  private static var added: SystemBusMessage {
    var properties = SystemBusMessage.Properties()
    properties.address = "C4:A1:00:00:1E:27"
    properties.addressType = "random"
    properties.adapter = "/org/bluez/hci0"
    properties.isPaired = true
    return .device(path: device, properties)
  }

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
            == .question(
              token: UInt64(digits), method: "RequestConfirmation", device: Self.device,
              digits: UInt32(digits))
        )
      }
      let ninth = try Self.confirm(&first, name, 9)
      var second = try BusProgram.open(on: daemon)
      try second.becomeBluetoothd()
      #expect(try client.next(2) == [.owner(isRunning: false), .owner(isRunning: true)])
      #expect(try first.reply(to: ninth).error == "org.bluez.Error.Rejected")
      // The new one's question has a place, and the old one's can be answered no more.
      let tenth = try Self.confirm(&second, name, 10)
      let question = try client.next()
      #expect(
        question == .question(token: 9, method: "RequestConfirmation", device: Self.device, digits: 10))
      #expect(throws: SystemError.self) { try client.bus.reply(to: 1, .accept) }
      try client.bus.reply(to: 9, .accept)
      while try client.bus.process() {}
      #expect(try second.reply(to: tenth).kind == .reply)
      #expect(throws: SystemError.self) { try client.bus.reply(to: 9, .accept) }
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
              == .question(
                token: UInt64(8 * round + index), method: "RequestPasskey", device: Self.device, digits: 0))
        }
        let cancelled = try Self.ask("Cancel", &bluetoothd, name, "")
        #expect(try client.next() == .questionCancelled)
        #expect(try bluetoothd.reply(to: cancelled).kind == .reply)
      }
      let passkey = try Self.ask("RequestPasskey", &bluetoothd, name, "o") { $0.string(Self.device) }
      guard case .question(let token, _, _, _) = try client.next() else {
        return _ = Issue.record("the question did not come")
      }
      try client.bus.reply(to: token, .digits(123_456))
      while try client.bus.process() {}
      #expect(try bluetoothd.reply(to: passkey).body == [0x40, 0xE2, 0x01, 0x00])
      let released = try Self.ask("Release", &bluetoothd, name, "")
      #expect(try client.next() == .agentReleased)
      #expect(try bluetoothd.reply(to: released).kind == .reply)
    }
  }

  @Test("Questions that find no room among messages that wait are refused, and keep no place")
  func overflow() throws {
    try Self.withBluetoothd { _, bluetoothd, client in
      let name = try client.registerAgent(at: &bluetoothd)
      for _ in 0..<4096 { try bluetoothd.signal("InterfacesAdded", Self.manager, "s") { $0.string("") } }
      let refused = try (1...9).map { try Self.confirm(&bluetoothd, name, $0) }
      try client.overflow(9)
      for serial in refused {
        #expect(try bluetoothd.reply(to: serial).error == "org.bluez.Error.Rejected")
      }
      let messages = try client.next(4096)
      #expect(messages.allSatisfy { $0 == .malformed } && client.bus.droppedCount == 9)
      let taken = try Self.confirm(&bluetoothd, name, 10)
      guard case .question(let token, _, _, 10) = try client.next() else {
        return _ = Issue.record("the question did not come")
      }
      try client.bus.reply(to: token, .accept)
      while try client.bus.process() {}
      #expect(try bluetoothd.reply(to: taken).kind == .reply)
    }
  }

  // MARK: - Wrong messages

  @Test("Signals whose contents are wrong are counted, and those after them are read")
  func wrongSignals() throws {
    try Self.withBluetoothd { _, bluetoothd, client in
      try client.bus.followProperties(true)
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
          properties.property("Connected", "b") { $0.number(1, 4) }
          properties.property("RSSI", "n") { $0.number(0xFFC4, 2) }
        }
        body.array(4) { _ in }
      }
      var connected = SystemBusMessage.Properties()
      connected.isConnected = true
      #expect(try client.next(3) == [.malformed, .malformed, .device(path: Self.device, connected)])
      // A path that is longer than any of bluetoothd, and an interface that means nothing here, are passed over.
      try Self.add("/org/bluez/" + String(repeating: "a", count: 300), &bluetoothd)
      try bluetoothd.signal("PropertiesChanged", Self.properties, path: Self.device, "sa{sv}as") { body in
        body.string("org.bluez.Battery1")
        body.array(8) { _ in }
        body.array(4) { _ in }
      }
      try Self.add(Self.device, &bluetoothd)
      #expect(try client.next() == Self.added)
      #expect(client.bus.droppedCount == 0)
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
      #expect(
        try client.next()
          == .question(token: 1, method: "RequestConfirmation", device: Self.device, digits: 5))
      #expect(try bluetoothd.reply(to: unknown).error == "org.freedesktop.DBus.Error.UnknownMethod")
      try client.bus.reply(to: 1, .refuse)
      while try client.bus.process() {}
      #expect(try bluetoothd.reply(to: good).error == "org.bluez.Error.Rejected")
    }
  }

  @Test("A list that is wrong in the middle has an error, and what was read before it counts")
  func wrongList() throws {
    try Self.withBluetoothd { _, bluetoothd, client in
      let wrong = try client.call(.listObjects)
      try bluetoothd.reply(to: try bluetoothd.nextCall(of: "GetManagedObjects"), "s") { $0.string("none") }
      #expect(
        try client.next(2)
          == [.malformed, .reply(token: wrong, error: "io.accessoryd.IncompleteList", text: "")])
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
      #expect(try client.next(2) == [Self.added, .reply(token: good, error: nil, text: "")])
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
}
