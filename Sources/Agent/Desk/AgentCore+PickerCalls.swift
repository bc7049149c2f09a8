// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import JSON
import Manifest
import Registry
import Setup
import ToolText
import Varlink

// What operators call: `io.accessoryd.Picker`.

extension AgentCore {
  func perform(_ method: PickerMethod, _ parameters: Parameters, _ place: Int) {
    do throws(OperatorError) {
      try take(method, parameters, place)
    } catch {
      refuse(place, error.message)
    }
  }

  private func take(
    _ method: PickerMethod, _ parameters: Parameters, _ place: Int
  ) throws(OperatorError) {
    switch method {
    case .watch: begin(place, .requests(RequestWatch()))
    case .open:
      let request = try setupCore.open(try OpeningFields.read(parameters))
      // What is at the gateway now was there before.
      lookedAt = nil
      begin(place, .opened(OpenedRequest(request)))
    case .list: begin(place, .accessories(try accessoryList(parameters)))
    case .registry: begin(place, .registry(RegistryList()))
    case .export: begin(place, .export(try export()))
    case .import: try importLines(parameters, place)
    case .deny:
      try setupCore.deny(parameters.word("request"))
      finish(place, Message.reply())
    case .cancel:
      try setupCore.cancel(parameters.word("request"))
      finish(place, Message.reply())
    case .choose, .name, .agree, .rename, .remove, .allow, .authorize, .reset:
      try wait(place, method == .choose ? AwaitedAnswer.chooseMilliseconds : AwaitedAnswer.diskMilliseconds) {
        (core: inout SetupCore, call) throws(OperatorError) in
        try core.take(method, parameters, call)
      }
    }
  }

  /// What is answered when the disk has had its say.
  func wait(
    _ place: Int, _ milliseconds: Int64, _ body: (inout SetupCore, CallID) throws(OperatorError) -> Void
  ) throws(OperatorError) {
    let call = nextCallID()
    try body(&setupCore, call)
    let end = now.advanced(milliseconds: milliseconds)
    begin(place, .awaiting(AwaitedAnswer(call: call, end: end, overdue: .operator)))
  }

  private func accessoryList(_ parameters: Parameters) throws(OperatorError) -> AccessoryList {
    // An empty list would say that no app has anything.
    try setupCore.requireReadableRegistry()
    let app = parameters.wordIfAny("app")
    if let app, setupCore.app(app) == nil, setupCore.registry.accessories(ofApp: app).isEmpty {
      throw .notFound(.app, name: app, candidates: setupCore.appNames)
    }
    return AccessoryList(app: app)
  }
}

extension SetupCore {
  fileprivate mutating func take(
    _ method: PickerMethod, _ parameters: Parameters, _ call: CallID
  ) throws(OperatorError) {
    switch method {
    case .choose:
      let said = (try? parameters.integerIfAny("candidate")) ?? 0
      guard let number = UInt32(exactly: said) else { throw .notFound(.candidate, name: "\(said)") }
      try choose(
        parameters.word("request"), candidate: number, name: parameters.wordIfAny("name"),
        ssid: parameters.wordIfAny("ssid"), call)
    case .name: try name(parameters.word("request"), parameters.word("name"), call)
    case .agree: try agree(parameters.word("request"), call)
    case .rename: try rename(parameters.word("accessory"), parameters.word("name"), call)
    case .remove: try remove(parameters.word("accessory"), call)
    case .allow: try allow(app: parameters.word("app"), device: parameters.word("device"), call)
    case .authorize: try authorize(app: parameters.word("app"), call)
    case .reset: resetRegistry(call)
    case .watch, .open, .list, .registry, .export, .import, .deny, .cancel:
      preconditionFailure("the method is answered in another way")
    }
  }
}

/// The parameters of Open.
enum OpeningFields {
  static func read(_ parameters: Parameters) throws(OperatorError) -> SetupCore.Opening {
    var opening = SetupCore.Opening(app: parameters.word("app"))
    if parameters["items"] != nil { opening.items = (try? parameters.texts("items")) ?? [] }
    opening.choice = try choice(parameters)
    if let count = parameters.numberIfAny("count") {
      guard (1...UInt64(SetupCore.countMax)).contains(count) else {
        throw .invalid(field: "count", reason: "it is 1 to \(SetupCore.countMax)")
      }
      opening.count = Int(count)
    }
    if let text = parameters.wordIfAny("discoveryTimeout") {
      guard let timeout = PickerSettings.DiscoveryTimeout(text: text) else {
        throw .invalid(field: "discoveryTimeout", reason: PickerSettings.DiscoveryTimeout.textReason)
      }
      opening.settings.discoveryTimeout = timeout
      // Who says how long it lasts until so many were set up has nobody at a screen.
      opening.isAttended = parameters["count"] == nil
    }
    return opening
  }

  private static func choice(_ parameters: Parameters) throws(OperatorError) -> PickerRequest.Choice {
    let touch = (try? parameters.truth("touch")) ?? false
    let first = (try? parameters.truth("firstImmediate")) ?? false
    let device = parameters.wordIfAny("device")
    guard [touch, first, device != nil].count(where: { $0 }) <= 1 else {
      throw .invalid(
        field: touch && first ? "firstImmediate" : "device", reason: "one request is decided in one way only")
    }
    if touch { return .touch }
    if first { return .firstImmediate }
    guard let device else { return .person }
    guard let bits = AddressText.bits(device) else {
      throw .invalid(field: "device", reason: "an address is written AA:BB:CC:DD:EE:FF")
    }
    return .device(bits)
  }
}

/// A call of Open: the request, then every accessory that it sets up.
struct OpenedRequest: Sendable {
  let request: RandomIdentifier
  var isGreeted = false
  var told = 0

  init(_ request: RandomIdentifier) { self.request = request }
}

extension AgentCore {
  func step(_ opened: inout OpenedRequest) -> Step {
    guard opened.isGreeted else {
      opened.isGreeted = true
      let text = opened.request.text
      return .say(Message.reply(continues: true) { $0.member("request", text) })
    }
    let open = setupCore.request(opened.request)?.setup
    let outcome = open == nil ? setupCore.outcome(of: opened.request) : nil
    let made = open?.made ?? outcome?.made ?? []
    guard opened.told == made.count else {
      let next = made[opened.told]
      opened.told += 1
      return .say(
        Message.reply(continues: true) { json in
          json.member("accessory", next.accessory.text)
          json.member("displayName", next.displayName)
        })
    }
    guard open == nil else { return .wait }
    if let failure = outcome?.failure { return .end(OperatorError.setupFailed(failure).message) }
    return .end(Message.reply())
  }
}

/// A call of List.
struct AccessoryList: Sendable {
  let app: String?
  /// The number in the registry of the last one said.
  var last: Int64 = 0

  init(app: String?) { self.app = app }
}

extension AgentCore {
  func step(_ list: inout AccessoryList) -> Step {
    let app = list.app
    guard let next = setupCore.registry.accessory(after: list.last, where: { app == nil || $0.app == app })
    else {
      return .end(Message.reply())
    }
    list.last = next.number
    return .say(Message.element("accessory", line(of: next)))
  }

  private func line(of accessory: RegistryAccessory) -> AccessoryLine {
    let device = setupCore.registry.device(of: accessory)
    let row = row(of: device).flatMap { row in dataPath.isFound(at: row) ? row : nil }
    let standing = setupCore.standing(of: accessory)
    return AccessoryLine(
      identifier: accessory.identifier, app: accessory.app, item: accessory.item,
      displayName: device.displayName, state: standing == .orphaned ? .unauthorized : accessory.state,
      standing: standing,
      address: device.identity.address, ssid: accessory.ssid.map { AirText($0) },
      bond: AppAccessory.BondState(device.bond), isIdentityDurable: device.isIdentityDurable,
      isInSight: row != nil,
      filteredRSSI: row.flatMap { dataPath.pipeline.device(at: $0)?.signal.filteredRSSI },
      addedAt: accessory.addedAt)
  }
}

/// A call of AccessoryRegistry.
struct RegistryList: Sendable {
  var isGreeted = false
  var index = 0
}

extension AgentCore {
  func step(_ list: inout RegistryList) -> Step {
    guard list.isGreeted else {
      list.isGreeted = true
      let state: RegistryLine.State =
        setupCore.isOpening ? .opening : setupCore.degradation == nil ? .open : .degraded
      return .say(
        Self.said(
          RegistryLine.state(
            state, sentence: setupCore.degradation,
            accessoryCount: Int64(setupCore.registry.accessories.count))))
    }
    let tombstones = setupCore.registry.tombstones
    guard list.index < tombstones.count else { return .end(Message.reply()) }
    defer { list.index += 1 }
    let tombstone = tombstones[list.index]
    return .say(
      Self.said(.removed(app: tombstone.app, item: tombstone.item, device: tombstone.identity.text)))
  }

  private static func said(_ line: RegistryLine) -> [UInt8] {
    Message.reply(continues: true) { line.writeMembers(to: &$0) }
  }
}
