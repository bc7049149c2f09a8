// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
@testable import Pairing
import Registry

/// bluetoothd and the kernel's events as a state machine of its own, with one adapter and one device.
struct ScriptedBluetoothd {
  /// How the device behaves when it is paired.
  enum Behavior: CaseIterable {
    case justWorks, showsDigits, hasKeys, compares, refuses, isSilent, leaves, authorizes, givesNoIdentity
  }

  enum Output: Equatable {
    case event(BusEvent)
    case reply(BusReply)
    case mgmt(MgmtEvent.Content)
  }

  static let adapter = "/org/bluez/hci0"
  static let device = "/org/bluez/hci0/dev_52_AE_89_3E_C1_18"
  static let address = DeviceAddress(bits: 0x52AE_893E_C118, type: .random)
  static let identity = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
  static let digits: UInt32 = 12_345

  var behavior = Behavior.justWorks
  /// What the device advertises from until it is bonded.
  var address = Self.address
  var isRunning = true
  /// bluetoothd lists the device without discovery.
  var isKnown = true
  var isBonded = false
  var isConnected = false
  var isTrusted = false
  var agent: IOCapability?
  var isDiscovering = false
  /// How often the kernel's discovery is still another program's when bluetoothd wants to begin it.
  var foreignDiscoveries = 0
  /// The reply to a call with this number is an error of this name.
  var failures: [(BusCall) -> String?] = []
  private var pairCall: UInt64?
  private var question: UInt64?
  private var questions: UInt64 = 0
  private(set) var methods: [BusCall.Method] = []

  private var properties: BusEvent.Properties {
    let address = isBonded && behavior != .givesNoIdentity ? Self.identity : self.address
    return BusEvent.Properties(
      addressBits: address.bits, addressType: address.type, adapter: Self.adapter, isPaired: isBonded)
  }

  /// What bluetoothd does for a call, in order.
  mutating func receive(_ call: BusCall) -> [Output] {
    methods.append(call.method)
    guard isRunning else {
      return [.reply(BusReply(to: call.number, .init(name: "org.freedesktop.DBus.Error.ServiceUnknown")))]
    }
    for failure in failures {
      if let name = failure(call) { return [.reply(BusReply(to: call.number, .init(name: name)))] }
    }
    let done = Output.reply(BusReply(to: call.number))
    func failed(_ name: String) -> [Output] {
      [.reply(BusReply(to: call.number, .init(name: "org.bluez.Error.\(name)")))]
    }
    switch call.method {
    case .listObjects:
      let adapter = Output.event(
        .adapter(path: Self.adapter, .init(addressBits: 0xA11, addressType: .public)))
      return [adapter] + (isKnown ? [.event(.device(path: Self.device, properties))] : []) + [done]
    case .registerAgent(let capability):
      guard agent == nil else { return failed("AlreadyExists") }
      agent = capability
      return [done]
    case .unregisterAgent:
      agent = nil
      return [done]
    case .setDiscoveryFilter: return [done]
    case .startDiscovery:
      guard foreignDiscoveries == 0 else {
        foreignDiscoveries -= 1
        return failed("InProgress")
      }
      isDiscovering = true
      guard !isKnown else { return [done] }
      isKnown = true
      return [done, .event(.device(path: Self.device, properties))]
    case .stopDiscovery:
      isDiscovering = false
      return [done]
    case .pair:
      if !isKnown {
        return [.reply(BusReply(to: call.number, .init(name: "org.freedesktop.DBus.Error.UnknownObject")))]
      }
      if isBonded { return failed("AlreadyExists") }
      if pairCall != nil { return failed("InProgress") }
      (pairCall, isConnected) = (call.number, true)
      return beginPairing()
    case .cancelPairing:
      return (pairCall == nil ? failed("DoesNotExist") : [done]) + endPairing("AuthenticationCanceled")
    case .disconnect:
      isConnected = false
      return [.mgmt(.disconnected(Self.identity, .byLocalHost)), done]
    case .removeDevice:
      guard isKnown else { return failed("DoesNotExist") }
      let wasBonded = isBonded
      (isKnown, isBonded, isConnected, isTrusted) = (false, false, false, false)
      let unpaired: [Output] = wasBonded ? [.mgmt(.bond(.unpaired(Self.identity)))] : []
      return endPairing("AuthenticationCanceled") + unpaired + [.event(.removed(path: Self.device)), done]
    case .trust:
      isTrusted = true
      return [done]
    case .answer(let number, let answer): return receiveAnswer(number, answer)
    case .followProperties: return []
    }
  }

  private mutating func beginPairing() -> [Output] {
    switch behavior {
    case .justWorks, .givesNoIdentity: return bond(isAuthenticated: false)
    case .showsDigits: return [ask(.passkey)]
    case .hasKeys: return [ask(.showPasskey(Self.digits))]
    case .compares: return [ask(.confirmation(Self.digits))]
    case .authorizes: return [ask(.other)]
    case .refuses: return endPairing("AuthenticationFailed")
    case .isSilent: return []
    case .leaves:
      return [.mgmt(.disconnected(address, .timeout))] + endPairing("AuthenticationCanceled")
    }
  }

  private mutating func ask(_ question: BusEvent.Question) -> Output {
    questions += 1
    self.question = questions
    return .event(.question(token: questions, question, device: Self.device))
  }

  private mutating func receiveAnswer(_ number: UInt64, _ answer: BusAnswer) -> [Output] {
    guard number == question, pairCall != nil else { return [] }
    question = nil
    switch (behavior, answer) {
    case (_, .refuse): return endPairing("AuthenticationFailed")
    case (.showsDigits, .digits(Self.digits)), (.hasKeys, .accept), (.compares, .accept):
      return bond(isAuthenticated: true)
    case (_, .accept), (_, .digits): return endPairing("AuthenticationFailed")
    }
  }

  private mutating func bond(isAuthenticated: Bool) -> [Output] {
    isBonded = true
    guard let call = pairCall, let value = MgmtKeyValue([UInt8](1...16)) else { return [] }
    pairCall = nil
    var outputs: [Output] = []
    if behavior != .givesNoIdentity {
      let identity = MgmtIdentityKey(identity: Self.identity, value: value)
      let key = MgmtLongTermKey(
        device: Self.identity, kind: isAuthenticated ? 3 : 2, central: 0, byteCount: 16, diversifier: 0,
        random: 0, value: value)
      outputs += [
        .mgmt(.bond(.identityKey(identity, address: address, isToBeKept: true))),
        .mgmt(.bond(.longTermKey(key, isToBeKept: true))),
      ]
    }
    return outputs + [.event(.device(path: Self.device, properties)), .reply(BusReply(to: call))]
  }

  private mutating func endPairing(_ error: String) -> [Output] {
    guard let call = pairCall else { return [] }
    (pairCall, question, isConnected) = (nil, nil, false)
    return [.reply(BusReply(to: call, .init(name: "org.bluez.Error.\(error)")))]
  }

  /// The link ends without a result.
  mutating func givesUp(_ error: String = "AuthenticationCanceled") -> [Output] { endPairing(error) }

  /// bluetoothd ends: what it had for its clients is gone, and a bond stays.
  mutating func end() {
    (isRunning, agent, isDiscovering, isConnected) = (false, nil, false, false)
    (pairCall, question, isKnown) = (nil, nil, isBonded)
  }
}
