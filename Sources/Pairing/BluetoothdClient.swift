// SPDX-License-Identifier: GPL-3.0-or-later

import DBus
public import HCI

/// The connection to bluetoothd over a bus, without its socket: calls and bytes in, events and bytes out. Pure. Interfaces:
/// BlueZ 5.66, doc/adapter-api.txt, doc/agent-api.txt and doc/device-api.txt.
///
/// Capacity: ``questionsMax`` questions of bluetoothd that wait for an answer; further ones are refused.
public struct BluetoothdClient: Sendable {
  static let questionsMax = 8
  /// More than a thousand devices; the agent may have 64 MB of memory.
  private static let messageBytesMax = 8 << 20
  /// A longer path of an object is malformed. D-Bus has no such limit.
  private static let pathBytesMax = 255

  private static let agent = "/io/accessoryd/agent"
  private static let device = "org.bluez.Device1"
  private static let adapter = "org.bluez.Adapter1"
  private static let manager = "org.freedesktop.DBus.ObjectManager"
  private static let properties = "org.freedesktop.DBus.Properties"

  // The types of what bluetoothd sends, by name.
  private static let questionTypes = [
    "RequestPinCode": "o", "DisplayPinCode": "os", "RequestPasskey": "o", "DisplayPasskey": "ouq",
    "RequestConfirmation": "ou", "RequestAuthorization": "o", "AuthorizeService": "os",
  ]
  private static let signalTypes = [
    "InterfacesAdded": "oa{sa{sv}}", "InterfacesRemoved": "oas", "PropertiesChanged": "sa{sv}as",
  ]
  private static let propertyTypes = ["Address": "s", "AddressType": "s", "Adapter": "o", "Paired": "b"]

  private var bus = BusConnection(messageBytesMax: messageBytesMax)
  /// The unique name of bluetoothd; nil while there is none.
  private var owner: String?
  /// The calls that wait for a reply, by their serials.
  private var calls: [UInt32: BusCall] = [:]
  private var questions: [UInt64: BusMessage] = [:]
  private var lastQuestion: UInt64 = 0

  public init() {
    bus.export(Self.agent, "org.bluez.Agent1", Set(Self.questionTypes.keys).union(["Cancel", "Release"]))
    bus.watchOwner(of: "org.bluez")
    bus.match("type='signal',sender='org.bluez',interface='\(Self.manager)'")
  }

  // MARK: - The socket

  public var unsent: [UInt8] { bus.unsent }
  public mutating func wasSent(_ count: Int) { bus.wasSent(count) }
  /// How many replies were dropped because the bus does not read.
  public var droppedCount: UInt64 { bus.droppedCount }

  public mutating func receive(_ bytes: ArraySlice<UInt8>) -> [BusEvent] { events(bus.receive(bytes)) }
  /// The bus has closed its end.
  public mutating func close() -> [BusEvent] { events(bus.close()) }
  public mutating func advance(to now: Instant) -> [BusEvent] { events(bus.advance(to: now.microseconds)) }
  public var deadline: Instant? { bus.deadline.map { Instant(microseconds: $0) } }

  // MARK: - Calls

  /// Makes a call. Returns a reply when it cannot be sent.
  public mutating func send(_ call: BusCall, at now: Instant) -> BusEvent? {
    if call.method == .unregisterAgent { questions = [:] }
    guard let message = message(call.method) else { return nil }
    let end = now.advanced(milliseconds: Int64(call.milliseconds))
    guard let serial = bus.call(message, until: end.microseconds) else {
      return .reply(to: call.number, BusCallError(name: "org.freedesktop.DBus.Error.LimitsExceeded"))
    }
    calls[serial] = call
    return nil
  }

  /// Returns the message of a call that has a reply; carries out one that has none.
  private mutating func message(_ method: BusCall.Method) -> BusMessage? {
    func call(_ member: String, _ interface: String, _ path: String, _ arguments: BusValue...) -> BusMessage {
      .call(member, interface, of: path, at: "org.bluez", arguments)
    }
    let (agentManager, agent) = ("org.bluez.AgentManager1", BusValue.objectPath(Self.agent))
    switch method {
    case .answer(let question, let answer): self.answer(question, answer)
    case .followProperties(let isOn):
      bus.match("type='signal',sender='org.bluez',interface='\(Self.properties)'", isOn)
    case .listObjects: return call("GetManagedObjects", Self.manager, "/")
    case .registerAgent(let capability):
      return call("RegisterAgent", agentManager, "/org/bluez", agent, .string(capability.busName))
    case .unregisterAgent: return call("UnregisterAgent", agentManager, "/org/bluez", agent)
    case .setDiscoveryFilter(let path):
      return call("SetDiscoveryFilter", Self.adapter, path, .dictionary(["Transport": .string("le")]))
    case .startDiscovery(let path): return call("StartDiscovery", Self.adapter, path)
    case .stopDiscovery(let path): return call("StopDiscovery", Self.adapter, path)
    case .removeDevice(let device, let path):
      return call("RemoveDevice", Self.adapter, path, .objectPath(device))
    case .pair(let path): return call("Pair", Self.device, path)
    case .cancelPairing(let path): return call("CancelPairing", Self.device, path)
    case .disconnect(let path): return call("Disconnect", Self.device, path)
    case .trust(let path):
      let arguments = [BusValue.string(Self.device), .string("Trusted"), .variant(.bool(true))]
      return .call("Set", Self.properties, of: path, at: "org.bluez", arguments)
    }
    return nil
  }

  private mutating func answer(_ question: UInt64, _ answer: BusAnswer) {
    guard let call = questions.removeValue(forKey: question) else { return }
    switch answer {
    case .refuse: refuse(call)
    case .accept: bus.reply(to: call)
    case .digits(let digits): bus.reply(to: call, [.uint32(digits)])
    }
  }

  private mutating func refuse(_ call: BusMessage) {
    bus.reply(to: call, [.string("refused")], error: "org.bluez.Error.Rejected")
  }

  // MARK: - What is received

  private mutating func events(_ received: [BusConnection.Event]) -> [BusEvent] {
    var events: [BusEvent] = []
    for event in received {
      switch event {
      case .opened: break
      case .reply(let serial, let message): receiveReply(serial, message, &events)
      case .signal(let message): receiveSignal(message, &events)
      case .called(let message): receiveCall(message, &events)
      case .owner(_, let owner): setOwner(owner, &events)
      case .closed(.notAuthenticated), .closed(.refused("org.freedesktop.DBus.Error.AccessDenied")):
        events.append(.closed(.notPermitted))
      case .closed: events.append(.closed(.bluetoothdChanged))
      }
    }
    return events
  }

  /// Another program has the name, or none. The questions of the one before are void.
  private mutating func setOwner(_ new: String?, _ events: inout [BusEvent]) {
    if owner != new { questions = [:] }
    // One bluetoothd may follow another directly: that is an end, too.
    if owner != nil, new != nil, owner != new { events.append(.owner(isRunning: false)) }
    owner = new
    events.append(.owner(isRunning: new != nil))
  }

  private mutating func receiveReply(_ serial: UInt32, _ message: BusMessage, _ events: inout [BusEvent]) {
    guard let call = calls.removeValue(forKey: serial) else { return }
    var failure = message.errorName.map { BusCallError(name: $0, text: message.errorText) }
    if failure == nil, call.method == .listObjects {
      if let objects = try? message.arguments("a{oa{sa{sv}}}") {
        for object in objects[0].entries { Self.read(object.key, object.value, &events) }
      } else {
        events.append(.malformed)
        failure = BusCallError(name: "io.accessoryd.IncompleteList")
      }
    }
    events.append(.reply(to: call.number, failure))
  }

  private func receiveSignal(_ message: BusMessage, _ events: inout [BusEvent]) {
    guard let types = Self.signalTypes[message.member ?? ""] else { return }
    // Any program can send a signal to this connection alone.
    guard owner != nil, message.sender == owner else { return events.append(.otherProgram) }
    guard let values = try? message.arguments(types) else { return events.append(.malformed) }
    switch message.member {
    case "InterfacesAdded": Self.read(values[0], values[1], &events)
    case "InterfacesRemoved":
      guard let path = Self.path(values[0]) else { return }
      for interface in values[1].elements where [Self.device, Self.adapter].contains(interface.string) {
        events.append(.removed(path: path))
      }
    default: Self.read(.objectPath(message.path ?? ""), values[0].string, values[1], &events)
    }
  }

  private mutating func receiveCall(_ call: BusMessage, _ events: inout [BusEvent]) {
    guard owner != nil, call.sender == owner else {
      refuse(call)
      return events.append(.otherProgram)
    }
    guard let types = Self.questionTypes[call.member ?? ""] else {
      // Cancel and Release.
      questions = [:]
      bus.reply(to: call)
      return events.append(.questionsCancelled)
    }
    guard let arguments = try? call.arguments(types), let device = Self.path(arguments[0]) else {
      refuse(call)
      return events.append(.malformed)
    }
    guard questions.count < Self.questionsMax else { return refuse(call) }
    lastQuestion += 1
    questions[lastQuestion] = call
    let digits = UInt32(arguments.dropFirst().first?.number ?? 0)
    let question: BusEvent.Question =
      switch call.member {
      case "RequestConfirmation": .confirmation(digits)
      case "RequestPasskey": .passkey
      case "DisplayPasskey": .showPasskey(digits)
      default: .other
      }
    events.append(.question(token: lastQuestion, question, device: device))
  }

  // MARK: - Objects

  private static func path(_ value: BusValue) -> String? {
    value.objectPath.flatMap { $0.utf8.count <= pathBytesMax ? $0 : nil }
  }

  /// Reads the interfaces of an object, a{sa{sv}}.
  private static func read(_ path: BusValue, _ interfaces: BusValue, _ events: inout [BusEvent]) {
    for interface in interfaces.entries { read(path, interface.key.string, interface.value, &events) }
  }

  /// Reads the properties of an interface, a{sv}. One of another type than bluetoothd documents is malformed.
  private static func read(
    _ path: BusValue, _ interface: String?, _ values: BusValue, _ events: inout [BusEvent]
  ) {
    guard interface == device || interface == adapter, let path = Self.path(path) else { return }
    var properties = BusEvent.Properties()
    for (name, value) in values.entries {
      guard let name = name.string, let type = propertyTypes[name] else { continue }
      if value.content.type != type { events.append(.malformed) }
      switch name {
      case "Address": properties.addressBits = value.string.flatMap(AddressText.bits)
      case "AddressType": properties.addressType = ["public": .public, "random": .random][value.string ?? ""]
      case "Adapter": properties.adapter = value.objectPath
      default: properties.isPaired = value.bool
      }
    }
    // Signals about others, such as the signal strength, are frequent.
    guard properties != BusEvent.Properties() else { return }
    events.append(interface == device ? .device(path: path, properties) : .adapter(path: path, properties))
  }
}

extension IOCapability {
  /// Its name at bluetoothd.
  fileprivate var busName: String {
    switch self {
    case .displayOnly: "DisplayOnly"
    case .displayYesNo: "DisplayYesNo"
    case .keyboardOnly: "KeyboardOnly"
    case .none: "NoInputNoOutput"
    case .keyboardDisplay: "KeyboardDisplay"
    }
  }
}
