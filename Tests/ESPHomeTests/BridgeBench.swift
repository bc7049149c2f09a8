// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import GATTSupport
import Interfaces
import JSON
import Testing
import Values
import Varlink

@testable import ESPHome

/// A bridge in plaintext between clients and an agent that the test plays.
final class BridgeBench {
  static let identity = GatewayIdentity(
    name: "gw", friendlyName: "Gateway", address: 0x02AA_BBCC_DDEE, version: "1.2.3")

  private(set) var bridge: ESPHomeBridge
  private(set) var now = Duration.zero
  private(set) var notices: [ESPHomeBridge.Notice] = []
  private(set) var stored: [UInt8]?
  private(set) var closed: Set<ESPHomeClientID> = []
  /// The calls to the agent that are open, with their parameters.
  private(set) var calls: [BridgeCallID: (method: String, parameters: JSONObject)] = [:]
  /// The devices that are connected.
  private(set) var devices: [BridgeCallID: DiceServer] = [:]
  private var nextClient: UInt64 = 0
  private var readers: [ESPHomeClientID: [UInt8]] = [:]
  var isAgentThere = true

  init(key: [UInt8]? = nil) { bridge = ESPHomeBridge(Self.identity, key: key) }

  // MARK: - Inputs

  func step(_ input: ESPHomeBridge.Input) {
    var inputs = [input]
    while !inputs.isEmpty {
      for effect in bridge.step(inputs.removeFirst(), at: now) {
        switch effect {
        case .close(let id): closed.insert(id)
        case .openAgent(let id): inputs.append(isAgentThere ? .agentOpened(id) : .agentEnded(id, "no agent"))
        case .sendAgent(let id, let bytes): calls[id] = Self.call(bytes)
        case .closeAgent(let id): calls[id] = nil
        case .closeLink(let id): devices[id] = nil
        case .store(let key): stored = key
        case .announce: break
        case .log(let notice): notices.append(notice)
        }
      }
    }
  }

  func pass(_ span: Duration) {
    let end = now + span
    while let due = bridge.nextDeadline, due <= end {
      now = max(now, due)
      step(.timePassed)
    }
    now = end
    step(.timePassed)
  }

  private static func call(_ bytes: [UInt8]) -> (method: String, parameters: JSONObject)? {
    let text = Array(bytes.dropLast())
    guard case .object(let object)? = try? JSONReader.read(text.span),
      case .string(let method)? = object["method"]
    else { return nil }
    let name = method.split(separator: ".").suffix(2).joined(separator: ".")
    guard case .object(let parameters)? = object["parameters"] else { return (name, JSONObject()) }
    return (name, parameters)
  }

  /// The open call of a method.
  func call(_ method: String) -> BridgeCallID? {
    calls.first { $0.value.method == method }?.key
  }

  func reply(
    _ method: String, continues: Bool = false, error: String? = nil,
    _ body: (inout JSONWriter) -> Void = { _ in }
  ) {
    guard let id = call(method) else {
      Issue.record("\(method) is not called")
      return
    }
    let message = error.map { Message.error($0, body) } ?? Message.reply(continues: continues, body)
    step(.agentReceived(id, message))
  }

  func endAgent() {
    isAgentThere = false
    for id in calls.keys.sorted(by: { $0.number < $1.number }) {
      calls[id] = nil
      step(.agentEnded(id, "the agent has ended"))
    }
  }

  /// Begins, and has the agent say what the bridge may do.
  func startBridge(apps: [String] = ["lights"], may: [BridgePermission] = BridgePermission.allCases) {
    step(.start)
    welcome(apps: apps, may: may)
  }

  func welcome(apps: [String] = ["lights"], may: [BridgePermission] = BridgePermission.allCases) {
    openStream()
    replyStatus(apps: apps, may: may)
    step(.reports(Self.radio()))
  }

  /// The agent takes the stream of reports, and has no accessory.
  func openStream() {
    reply("Gateway.WatchReports") { json in
      json.member("epoch", "1")
      json.member("time", 0)
      json.objects("adapters", [Int]()) { _, _ in }
    }
    reply("Operator.List", continues: true) { $0.member("isSynced", true) }
  }

  func replyStatus(apps: [String] = ["lights"], may: [BridgePermission]) {
    replyStatus(BridgeLine(name: "home", forward: .accessories, apps: apps, may: may))
  }

  /// `apps` is how many there are, which operators learn.
  func replyStatus(version: String = "1.2.3", apps: Int? = nil, _ section: BridgeLine?) {
    var status = StatusLine(
      version: version, epoch: "1", time: Seconds(microseconds: 0),
      radio: RadioLine(source: "hci0", state: .on, detail: "on", initializations: 1, failures: 0, dropped: 0),
      problems: [], warnings: [], openRequests: [], bridge: section)
    status.apps = apps
    reply("Gateway.Status") { status.writeMembers(to: &$0) }
  }

  func list(_ name: String, _ digit: Character, app: String = "lights", address: UInt64? = nil) {
    let line = AccessoryLine(
      identifier: String(repeating: digit, count: 32), app: app, displayName: name, state: .authorized,
      status: .active, address: address.map { DeviceAddress(bits: $0, type: .random) }, bond: .none,
      isIdentityDurable: true, isInSight: true)
    reply("Operator.List", continues: true) { $0.object("accessory", line) }
  }

  // MARK: - Devices

  /// The agent takes the bridge for an app, too.
  func startSession(app: String = "home") {
    reply("Session.Activate", continues: true) { json in
      json.member("session", String(repeating: "5", count: 32))
      json.member("app", app)
    }
  }

  /// The agent connects the device of the call that waits, and hands its socket over.
  func connectDevice(_ server: DiceServer = DiceServer()) throws -> BridgeCallID {
    let id = try #require(call("Session.Connect"))
    devices[id] = server
    step(.linkOpened(id))
    reply("Session.Connect")
    exchange(id)
    return id
  }

  /// Carries packets until neither side has more.
  func exchange(_ id: BridgeCallID) {
    while devices[id] != nil, let packet = bridge.packet(of: id) {
      step(.linkSent(id))
      if let response = devices[id]?.model.response(to: packet) { step(.linkReceived(id, response)) }
    }
  }

  /// The device notifies, if the bridge reads from it. Returns whether it does.
  func notify(_ id: BridgeCallID, _ handle: UInt16, _ value: [UInt8]) -> Bool {
    guard bridge.wantsPackets(of: id) else { return false }
    if let packet = devices[id]?.model.report(handle, value) { step(.linkReceived(id, packet)) }
    return true
  }

  // MARK: - Messages of the stream

  private static func header(kind: UInt8, count: UInt16, passed: UInt64 = 0, missed: UInt64 = 0) -> [UInt8] {
    var message: [UInt8] = [1, kind]
    for (value, size) in [(UInt64(count), 2), (0, 4), (passed, 8), (missed, 8)] as [(UInt64, Int)] {
      message += bytes(value, size)
    }
    return message
  }

  static func radio(_ state: UInt8 = 0, isActive: Bool = false) -> [UInt8] {
    header(kind: 1, count: 0) + [state, isActive ? 1 : 0]
  }

  /// A message with one report of each address.
  static func reports(_ addresses: [UInt64], rssi: Int8 = -50, type: UInt8 = 1, missed: UInt64 = 0) -> [UInt8]
  {
    var message = header(kind: 0, count: UInt16(addresses.count), missed: missed)
    for address in addresses {
      message += bytes(37, 2)
      message += [0, type]
      message += bytes(0, 12)
      message += bytes(address, 6)
      message += [1, 0]
      message += bytes(0, 7)
      message += [255, 127, UInt8(bitPattern: rssi), 2, 1, 6]
    }
    return message
  }

  private static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  // MARK: - Clients

  func accept(address: String = "10.0.0.1", secret: [UInt8] = [UInt8](1...32)) -> ESPHomeClientID {
    nextClient += 1
    let id = ESPHomeClientID(nextClient)
    step(.accepted(id, address: address, secret: secret))
    return id
  }

  func send(_ messages: APIMessage..., by id: ESPHomeClientID) {
    for message in messages {
      step(.received(id, [0, UInt8(message.fields.count), UInt8(message.type)] + message.fields))
    }
  }

  /// A client that has greeted, and wants reports and states.
  func greeted(address: String = "10.0.0.1") -> ESPHomeClientID {
    let id = accept(address: address)
    send(APIMessage(1), APIMessage(11), APIMessage(20), APIMessage(66), by: id)
    return id
  }

  /// Reads everything that waits for a client.
  func read(_ id: ESPHomeClientID) -> [APIMessage] {
    readers[id, default: []] += bridge.unsent(of: id)
    step(.sent(id, bridge.unsent(of: id).count))
    var messages: [APIMessage] = []
    var rest = (readers[id] ?? [])[...]
    while let first = rest.first, first == 0 {
      var body = rest.dropFirst()
      guard let count = Self.number(&body), let type = Self.number(&body), body.count >= count else { break }
      messages.append(APIMessage(UInt64(type), Array(body.prefix(count))))
      rest = body.dropFirst(count)
    }
    readers[id] = Array(rest)
    return messages
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
    var (value, shift) = (0, 0)
    while let byte = bytes.popFirst() {
      value |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  /// The last state of an entity that a client has read among messages.
  static func text(_ entity: Entity, in messages: [APIMessage]) -> String? {
    let states = messages.filter { $0.type == 27 }.compactMap { message -> String? in
      var reader = FieldReader(message.fields[...])
      var (key, text) = (UInt32(0), "")
      while let (field, value) = try? reader.next() {
        if field == 1, case .word(let word) = value { key = word }
        if field == 2, case .bytes(let bytes) = value { text = String(decoding: bytes, as: UTF8.self) }
      }
      return key == entity.rawValue ? text : nil
    }
    return states.last
  }
}
