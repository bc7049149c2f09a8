// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import Registry

/// One pairing through the kernel: what was asked for, and what has come of it so far.
///
/// Capacity: ``keysMax`` long term keys and as many BR/EDR keys; further ones are not kept. All that arrive are kept until
/// the end, because a long term key names the identity, and the identity key that tells whose it is may come later.
struct PairingAttempt: Sendable {
  static let keysMax = 8
  /// Without a reply in this time the devices end a pairing themselves: 30 s (Core Specification 5.4, Volume 3, Part
  /// H, 3.4), less a second for the way.
  static let protocolMilliseconds: Int64 = 29_000

  let request: PairingRequest
  let start: Instant
  /// The address for Pair Device: the identity if the kernel has the device's identity key.
  let target: DeviceAddress
  /// The bond that is removed before.
  let replaced: DeviceBond?
  /// A bond that resolves the device's private addresses.
  let known: DeviceBond?
  /// How often Pair Device was sent.
  var tries = 0
  var method = PairingMethod.justWorks
  var question: PairingQuestion?
  /// The address in the kernel's question, which the reply has to name.
  var asked: DeviceAddress?
  /// When the devices were connected, or a question was asked: the last step that is known.
  var lastStep: Instant?
  /// The device that the kernel named when it had paired.
  var confirmed: DeviceAddress?
  private(set) var identityKey: MgmtKey<KeyValue>?
  var keys = ReceivedKeys()

  init(_ request: PairingRequest, known: DeviceBond?, at now: Instant) {
    (self.request, self.known) = (request, known)
    start = now
    target = known?.identity ?? request.device
    replaced = request.replacesBond ? known : nil
  }

  /// Whether an event with this address is about the device.
  func belongs(_ address: DeviceAddress) -> Bool {
    address == target || address == request.device || address == identityKey?.device
      || known?.names(address) == true
  }

  /// The identity of the device, as far as it is known.
  var identity: DeviceAddress {
    identityKey?.device ?? known?.identity ?? confirmed ?? target
  }

  mutating func ask(_ question: PairingQuestion, at now: Instant) {
    (self.question, lastStep) = (question, now)
    switch question {
    case .compare: method = .digitsCompared
    case .enterDigits: method = .digitsEntered
    case .showDigits: method = .digitsShown
    }
  }

  /// Whether a person or the device was awaited until the devices gave up.
  func hasTakenTooLong(at now: Instant) -> Bool {
    guard let lastStep else { return false }
    return now.milliseconds(since: lastStep) >= Self.protocolMilliseconds
  }

  // MARK: - Keys

  /// Takes an identity key if it is the device's. Returns whether it is.
  mutating func takeIdentityKey(
    _ key: MgmtKey<KeyValue>, address: DeviceAddress?, isToBeKept: Bool
  ) -> Bool {
    guard address.map(belongs) == true || belongs(key.device) else { return false }
    if isToBeKept, key.device.isMgmtIdentity { identityKey = key }
    return true
  }

  /// The keys to keep. nil until there is a long term key, and for a private address also an identity key: without it
  /// the device cannot be recognised again.
  var bondKeys: BondKeys? {
    let longTermKeys = keys.longTermKeys(of: identity)
    guard identityKey != nil || target.isMgmtIdentity, !longTermKeys.isEmpty else { return nil }
    var bond = BondKeys()
    bond.longTermKeys = longTermKeys.map(\.key)
    bond.identityKey = identityKey?.key ?? known?.keys.identityKey
    bond.linkKey = keys.linkKey(of: identity)?.key
    return bond
  }

  /// Devices that another program paired in the meantime.
  var foreignDevices: [DeviceAddress] {
    keys.longTermKeys.filter { !$0.isToBeKept && $0.key.device != identity && !belongs($0.key.device) }
      .map(\.key.device)
  }

  /// Whether all keys are there that a pairing can bring: one with Secure Connections, otherwise one for each side.
  var isComplete: Bool {
    guard let bond = bondKeys else { return false }
    return bond.longTermKeys.contains { $0.kind >= 2 } || bond.longTermKeys.count == BondKeys.longTermKeysMax
  }
}

/// The long term keys and BR/EDR keys that came during a pairing, of any device.
struct ReceivedKeys: Sendable {
  private(set) var longTermKeys: [(key: MgmtKey<LongTermKey>, isToBeKept: Bool)] = []
  private var linkKeys: [MgmtKey<LinkKey>] = []

  mutating func add(_ key: MgmtKey<LongTermKey>, isToBeKept: Bool) {
    longTermKeys.removeAll { $0.key.device == key.device && $0.key.key.central == key.key.central }
    guard longTermKeys.count < PairingAttempt.keysMax else { return }
    longTermKeys.append((key, isToBeKept))
  }

  mutating func add(_ key: MgmtKey<LinkKey>) {
    linkKeys.removeAll { $0.device == key.device }
    guard linkKeys.count < PairingAttempt.keysMax else { return }
    linkKeys.append(key)
  }

  func longTermKeys(of device: DeviceAddress) -> [MgmtKey<LongTermKey>] {
    longTermKeys.filter { $0.isToBeKept && $0.key.device == device }.map(\.key).sorted {
      $0.key.central < $1.key.central
    }
  }

  func linkKey(of device: DeviceAddress) -> MgmtKey<LinkKey>? { linkKeys.first { $0.device == device } }
}
