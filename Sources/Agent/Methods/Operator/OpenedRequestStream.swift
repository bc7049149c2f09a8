// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Registry
import Setup
import Varlink

/// `Open` and `Replace`: an operator opens a request on an app's behalf, and learns of every accessory that it sets up or
/// gives another device.
struct OpenedRequestStream: SetupStream {
  let request: RandomIdentifier
  var sentCount = 0

  mutating func nextReply(_ setup: SetupCore, at now: Instant) -> StreamStep {
    let open = setup.request(request)
    let outcome = open == nil ? setup.outcome(of: request) : nil
    let completed = open?.completed ?? outcome?.completed ?? []
    guard sentCount == completed.count else {
      let next = completed[sentCount]
      sentCount += 1
      return .reply(
        Message.reply(continues: true) { json in
          json.member("accessory", next.accessory.text)
          json.member("displayName", next.displayName)
          if let method = next.pairing { json.member("pairing", method.rawValue) }
          if let isAuthenticated = next.isBondAuthenticated {
            json.member("isBondAuthenticated", isAuthenticated)
          }
        })
    }
    guard open == nil else {
      return setup.isDiskOverdue
        ? .end(OperatorError.registry(Patience.diskTimeoutSentence).message) : .wait
    }
    if let failure = outcome?.failure { return .end(OperatorError.setupFailed(failure).message) }
    return .end(Message.reply())
  }

  /// A request ends with the client that opened it.
  func release(_ agent: AgentCore) { agent.follow(agent.setupCore.abandon(request)) }
}

extension SetupCore.Opening {
  init(_ parameters: Parameters) throws(OperatorError) {
    let given: OpenParameters
    do throws(JSONMemberError) { given = try OpenParameters(parameters.object) } catch {
      throw .invalid(field: error.path, reason: "it is out of range")
    }
    self.init(app: given.app)
    items = given.items
    choice = try PickerRequest.Choice(given)
    if let count = given.count {
      guard (1...OperatorInterface.setupCountMax).contains(count) else {
        throw .invalid(field: "count", reason: "it is 1 to \(OperatorInterface.setupCountMax)")
      }
      self.count = count
    }
    if let text = given.discoveryTimeout {
      settings.discoveryTimeout = try PickerSettings.DiscoveryTimeout(ofCall: text)
      // With a timeout and a count, no operator is at a screen.
      isAttended = given.count == nil
    }
  }
}

extension SetupCore.Opening {
  /// The device that a call names; nil for none.
  static func device(_ parameters: Parameters) throws(OperatorError) -> UInt64? {
    try parameters.wordIfAny("device").map(address)
  }

  fileprivate static func address(_ text: String) throws(OperatorError) -> UInt64 {
    guard let bits = AddressText.bits(text) else {
      throw .invalid(field: "device", reason: "an address is written AA:BB:CC:DD:EE:FF")
    }
    return bits
  }
}

extension PickerSettings {
  /// How a request looks for the device that replaces another.
  init(_ parameters: Parameters) throws(OperatorError) {
    self.init()
    discoveryTimeout =
      try parameters.wordIfAny("discoveryTimeout").map(DiscoveryTimeout.init(ofCall:)) ?? .long
  }
}

extension PickerSettings.DiscoveryTimeout {
  fileprivate init(ofCall text: String) throws(OperatorError) {
    guard let timeout = Self(text: text) else {
      throw .invalid(field: "discoveryTimeout", reason: DiscoveryTimeout.textReason)
    }
    self = timeout
  }
}

extension PickerRequest.Choice {
  fileprivate init(_ given: OpenParameters) throws(OperatorError) {
    let (touch, first) = (given.usesTouch, given.takesFirstImmediate)
    guard [touch, first, given.device != nil, given.network != nil].count(where: { $0 }) <= 1 else {
      throw .invalid(
        field: given.network != nil ? "network" : touch && first ? "takesFirstImmediate" : "device",
        reason: "one request is decided in one way only")
    }
    if touch {
      self = .touch
    } else if first {
      self = .firstImmediate
    } else if let device = given.device {
      self = .device(try SetupCore.Opening.address(device))
    } else if let network = given.network {
      guard (1...RegistryLimits.ssidBytesMax).contains(network.bytes.count) else {
        throw .invalid(field: "network", reason: "a network's name has 1 to 32 bytes")
      }
      self = .network(network.bytes)
    } else {
      self = .person
    }
  }
}
