// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI
public import Pairing

/// bluetoothd and the kernel's events as a state machine of its own, with one adapter and the devices around it.
@dynamicMemberLookup
public struct ScriptedBluetoothd {
  /// How a device behaves when it is paired.
  public enum Behavior: CaseIterable {
    case justWorks, showsDigits, hasKeys, compares, refuses, isSilent, leaves, authorizes, givesNoIdentity
  }

  public enum Output: Equatable {
    case event(BusEvent)
    /// The objects that bluetoothd lists, and the reply. All are one message of the bus, which arrives as a whole or not
    /// at all: the agent gets an error for a list of which a part could not be read.
    case list([BusEvent])
    case mgmt(MgmtEvent.Content)
  }

  public struct Device {
    public let path: String
    public let identity: DeviceAddress
    public var behavior = Behavior.justWorks
    /// What it advertises from until it is bonded.
    public var address: DeviceAddress
    /// Its keys, the least significant byte first.
    public var identityKey = [UInt8](1...16)
    public var longTermKey = [UInt8](1...16)
    /// The size of its long term key.
    public var keyByteCount: UInt8 = 16
    /// The digits that bluetoothd asks about.
    public var digits = PairingPeer.digits
    /// bluetoothd lists it without discovery.
    public var isKnown = true
    public var isBonded = false
    public var isConnected = false
    public var isTrusted = false

    public init(path: String, identity: DeviceAddress, address: DeviceAddress) {
      (self.path, self.identity, self.address) = (path, identity, address)
    }

    fileprivate var properties: BusEvent.Properties {
      let shown = isBonded && behavior != .givesNoIdentity ? identity : address
      return BusEvent.Properties(
        addressBits: shown.bits, addressType: shown.type, adapter: ScriptedBluetoothd.adapter,
        isPaired: isBonded)
    }

    fileprivate var report: BusEvent { .device(path: path, properties) }
  }

  public static let adapter = "/org/bluez/hci0"
  public static let device = "/org/bluez/hci0/dev_52_AE_89_3E_C1_18"
  public static let address = DeviceAddress(bits: 0x52AE_893E_C118, type: .random)
  public static let identity = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
  public static let digits = PairingPeer.digits

  public var devices = [Device(path: device, identity: identity, address: address)]
  /// The adapter's public address.
  public var adapterBits: UInt64 = 0xA11
  public var isRunning = true
  public var agent: IOCapability?
  public private(set) var isDiscovering = false
  /// How often the kernel's discovery is still another program's when bluetoothd wants to begin it.
  public var foreignDiscoveries = 0
  /// The reply to a call for which one of these returns a name is an error of this name.
  public var failures: [(BusCall) -> String?] = []
  /// The call of `Pair` that is under way, and its device.
  private var pairing: (call: UInt64, index: Int)?
  private var question: UInt64?
  private var questions: UInt64 = 0
  private var foreignQuestions: Set<UInt64> = []
  /// Answers that consented to a pairing which the agent did not begin.
  public private(set) var foreignConsents = 0
  public private(set) var methods: [BusCall.Method] = []

  public init() {}

  /// What bluetoothd does for a call, in order.
  public mutating func receive(_ call: BusCall) -> [Output] {
    methods.append(call.method)
    guard isRunning else {
      return [
        .event(.reply(to: call.number, BusCallError(name: "org.freedesktop.DBus.Error.ServiceUnknown")))
      ]
    }
    for failure in failures {
      if let name = failure(call) { return [.event(.reply(to: call.number, BusCallError(name: name)))] }
    }
    let done = Output.event(.reply(to: call.number, nil))
    func failed(_ name: String) -> [Output] {
      [.event(.reply(to: call.number, BusCallError(name: "org.bluez.Error.\(name)")))]
    }
    switch call.method {
    case .listObjects:
      let adapter = BusEvent.adapter(
        path: Self.adapter, .init(addressBits: adapterBits, addressType: .public))
      return [.list([adapter] + devices.filter(\.isKnown).map(\.report) + [.reply(to: call.number, nil)])]
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
      for index in devices.indices { devices[index].isKnown = true }
      return [done] + devices.filter { !$0.isBonded }.map { .event($0.report) }
    case .stopDiscovery:
      isDiscovering = false
      return [done]
    case .pair(let path):
      guard let index = known(path) else {
        return [
          .event(.reply(to: call.number, BusCallError(name: "org.freedesktop.DBus.Error.UnknownObject")))
        ]
      }
      if devices[index].isBonded { return failed("AlreadyExists") }
      if pairing != nil { return failed("InProgress") }
      pairing = (call.number, index)
      devices[index].isConnected = true
      return beginPairing(devices[index])
    case .cancelPairing:
      return (pairing == nil ? failed("DoesNotExist") : [done]) + endPairing("AuthenticationCanceled")
    case .disconnect(let path):
      guard let index = known(path) else { return failed("DoesNotExist") }
      devices[index].isConnected = false
      return [.mgmt(.disconnected(devices[index].identity, .byLocalHost)), done]
    case .removeDevice(let path, _):
      guard let index = known(path) else { return failed("DoesNotExist") }
      return forget(index) + [done]
    case .trust(let path):
      guard let index = known(path) else { return failed("DoesNotExist") }
      devices[index].isTrusted = true
      return [done]
    case .answer(let number, let answer): return receiveAnswer(number, answer)
    case .followProperties: return []
    }
  }

  private func known(_ path: String) -> Int? { devices.firstIndex { $0.path == path && $0.isKnown } }

  private mutating func beginPairing(_ device: Device) -> [Output] {
    switch device.behavior {
    case .justWorks, .givesNoIdentity: return bond(isAuthenticated: false)
    case .showsDigits: return [ask(.passkey, device)]
    case .hasKeys: return [ask(.showPasskey(device.digits), device)]
    case .compares: return [ask(.confirmation(device.digits), device)]
    case .authorizes: return [ask(.other, device)]
    case .refuses: return endPairing("AuthenticationFailed")
    case .isSilent: return []
    case .leaves:
      return [.mgmt(.disconnected(device.address, .timeout))] + endPairing("AuthenticationCanceled")
    }
  }

  private mutating func ask(_ question: BusEvent.Question, _ device: Device) -> Output {
    questions += 1
    self.question = questions
    return .event(.question(token: questions, question, device: device.path))
  }

  private mutating func receiveAnswer(_ number: UInt64, _ answer: BusAnswer) -> [Output] {
    if foreignQuestions.remove(number) != nil, answer != .refuse { foreignConsents += 1 }
    guard number == question, let pairing else { return [] }
    question = nil
    switch (devices[pairing.index].behavior, answer) {
    case (_, .refuse): return endPairing("AuthenticationFailed")
    case (.showsDigits, .digits(Self.digits)), (.hasKeys, .accept), (.compares, .accept):
      return bond(isAuthenticated: true)
    case (_, .accept), (_, .digits): return endPairing("AuthenticationFailed")
    }
  }

  private mutating func bond(isAuthenticated: Bool) -> [Output] {
    guard let pairing else { return [] }
    (self.pairing, question) = (nil, nil)
    devices[pairing.index].isBonded = true
    let device = devices[pairing.index]
    var outputs: [Output] = []
    if device.behavior != .givesNoIdentity, let identityKey = KeyValue(device.identityKey),
      let longTermKey = KeyValue(device.longTermKey)
    {
      let identity = MgmtKey(device.identity, identityKey)
      let key = MgmtKey(
        device.identity,
        LongTermKey(
          kind: isAuthenticated ? 3 : 2, central: 0, byteCount: device.keyByteCount,
          diversifier: 0, random: 0, value: longTermKey))
      outputs = [
        .mgmt(.bond(.identityKey(identity, address: device.address, isToBeKept: true))),
        .mgmt(.bond(.longTermKey(key, isToBeKept: true))),
      ]
    }
    return outputs + [.event(device.report), .event(.reply(to: pairing.call, nil))]
  }

  private mutating func endPairing(_ error: String) -> [Output] {
    guard let pairing else { return [] }
    devices[pairing.index].isConnected = false
    (self.pairing, question) = (nil, nil)
    return [.event(.reply(to: pairing.call, BusCallError(name: "org.bluez.Error.\(error)")))]
  }

  // MARK: - Without a call

  /// The link ends without a result, or another program cancels the pairing.
  public mutating func givesUp(_ error: String = "AuthenticationCanceled") -> [Output] { endPairing(error) }

  /// Another agent replies in the place of the gateway's.
  public mutating func answerByAnother(_ isAccepted: Bool) -> [Output] {
    guard question != nil else { return [] }
    return [.event(.questionsCancelled)]
      + (isAccepted ? bond(isAuthenticated: true) : endPairing("AuthenticationRejected"))
  }

  /// A device that the agent does not pair asks for consent.
  public mutating func askForForeign() -> [Output] {
    questions += 1
    foreignQuestions.insert(questions)
    let path = "\(Self.adapter)/dev_4A_00_00_00_00_00"
    return [.event(.question(token: questions, .confirmation(Self.digits), device: path))]
  }

  /// bluetoothd forgets a device, and the bond with it.
  public mutating func forget(_ index: Int) -> [Output] {
    guard devices[index].isKnown else { return [] }
    let ended = pairing?.index == index ? endPairing("AuthenticationCanceled") : []
    let wasBonded = devices[index].isBonded
    (devices[index].isKnown, devices[index].isBonded) = (false, false)
    (devices[index].isConnected, devices[index].isTrusted) = (false, false)
    let unpaired: [Output] = wasBonded ? [.mgmt(.bond(.unpaired(devices[index].identity)))] : []
    return ended + unpaired + [.event(.removed(path: devices[index].path))]
  }

  /// The agent's connection to the bus ends: what bluetoothd does for it ends too.
  public mutating func loseClient() {
    (agent, isDiscovering) = (nil, false)
    _ = endPairing("AuthenticationCanceled")
  }

  /// bluetoothd ends: what it had for its clients is gone, and its bonds stay.
  public mutating func end() {
    (isRunning, agent, isDiscovering) = (false, nil, false)
    (pairing, question, foreignQuestions) = (nil, nil, [])
    for index in devices.indices {
      (devices[index].isConnected, devices[index].isKnown) = (false, devices[index].isBonded)
    }
  }
}

extension BusEvent.Properties {
  public init(
    addressBits: UInt64, addressType: AddressType, adapter: String? = nil, isPaired: Bool? = nil
  ) {
    self.init()
    (self.addressBits, self.addressType) = (addressBits, addressType)
    (self.adapter, self.isPaired) = (adapter, isPaired)
  }
}

extension ScriptedBluetoothd {
  /// The members of the first device, for tests with one.
  public subscript<Value>(dynamicMember member: WritableKeyPath<Device, Value>) -> Value {
    get { devices[0][keyPath: member] }
    set { devices[0][keyPath: member] = newValue }
  }
}
