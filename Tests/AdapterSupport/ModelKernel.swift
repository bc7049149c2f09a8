// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI

/// A kernel with its management interface, as far as bonds are concerned; pairing-lab.md has the orders and times that
/// it follows. Commands go in, events come out with their times.
public struct ModelKernel {
  public struct Key: Equatable {
    public var device: DeviceAddress
    public var central: UInt8
    public var bytes: [UInt8]
  }

  public static let index: UInt16 = 3

  public var peers: [PairingPeer] = []
  public var isPowered = true
  public private(set) var isBondable = false
  public private(set) var areIdentityKeysLoaded = false
  public private(set) var identityKeys: [DeviceAddress: [UInt8]] = [:]
  public private(set) var longTermKeys: [Key] = []
  public private(set) var linkKeys: [DeviceAddress] = []
  private var usesSecureSimplePairing = false
  public private(set) var usesSecureConnections = false
  /// The device that Pair Device was sent for, and how it is named in events.
  public private(set) var pending: (command: DeviceAddress, name: DeviceAddress)?
  /// When the pairing that is pending is done.
  public private(set) var completion: Instant?
  /// Whether a question was asked and not replied to.
  private var isAsking = false
  public private(set) var links: Set<DeviceAddress> = []
  /// All commands in order.
  public private(set) var received: [MgmtCommand] = []
  /// The first commands with these opcodes get this status and do nothing.
  public var refusals: [(MgmtOpcode, MgmtStatus)] = []
  /// These commands always fail.
  public var failing: Set<MgmtOpcode> = []
  /// These commands get no reply.
  public var unanswered: Set<MgmtOpcode> = []
  /// Answers "yes" that did not belong to the pending pairing.
  public private(set) var foreignConfirmations = 0
  private var foreignQuestion: DeviceAddress?
  public var events: [(time: Instant, event: MgmtEvent)] = []

  public init() {}

  // MARK: - Events

  public mutating func emit(_ content: MgmtEvent.Content, after milliseconds: Int64 = 0, _ now: Instant) {
    let time = now.advanced(milliseconds: milliseconds)
    let index = events.firstIndex { $0.time > time } ?? events.count
    events.insert((time, MgmtEvent(index: Self.index, content)), at: index)
  }

  private mutating func reply(
    _ opcode: MgmtOpcode, _ status: MgmtStatus, _ device: DeviceAddress?, after milliseconds: Int64 = 1,
    _ now: Instant
  ) {
    guard !unanswered.contains(opcode) else { return }
    emit(.completed(opcode, status, returned: device?.mgmtBytes ?? [1, 0, 0, 0]), after: milliseconds, now)
  }

  // MARK: - Commands

  public mutating func receive(_ command: MgmtCommand, at now: Instant) {
    received.append(command)
    let body = Array(command.bytes.dropFirst(6))
    if let index = refusals.firstIndex(where: { $0.0 == command.opcode }) {
      let (opcode, status) = refusals.remove(at: index)
      return reply(opcode, status, DeviceAddress(mgmtReply: body), now)
    }
    if failing.contains(command.opcode) {
      return reply(command.opcode, .failed, DeviceAddress(mgmtReply: body), now)
    }
    switch command.opcode {
    case .loadIdentityKeys:
      (areIdentityKeysLoaded, identityKeys) = (true, [:])
      for key in records(body, from: 2, of: 23) {
        if let device = DeviceAddress(mgmtReply: key) { identityKeys[device] = Array(key[7...]) }
      }
      reply(command.opcode, .success, nil, now)
    case .loadLongTermKeys:
      longTermKeys = records(body, from: 2, of: 36).compactMap { key in
        DeviceAddress(mgmtReply: key).map { Key(device: $0, central: key[8], bytes: Array(key[20...])) }
      }
      reply(command.opcode, .success, nil, now)
    case .loadLinkKeys:
      linkKeys = records(body, from: 3, of: 25).map {
        DeviceAddress(bits: $0[..<6].reversed().reduce(0) { $0 << 8 | UInt64($1) }, type: .public)
      }
      reply(command.opcode, .success, nil, now)
    case .setBondable:
      isBondable = body[0] != 0
      reply(command.opcode, .success, nil, now)
    case .setSecureSimplePairing:
      usesSecureSimplePairing = body[0] != 0
      reply(command.opcode, .success, nil, now)
    case .setSecureConnections:
      guard usesSecureSimplePairing else { return reply(command.opcode, .rejected, nil, now) }
      usesSecureConnections = body[0] != 0
      reply(command.opcode, .success, nil, now)
    case .setDebugKeys, .setLowEnergy: reply(command.opcode, .success, nil, now)
    case .setPowered:
      isPowered = body[0] != 0
      if !isPowered { endPairing(.notPowered, now) }
      reply(command.opcode, .success, nil, after: isPowered ? 80 : 10, now)
    default:
      guard let device = DeviceAddress(mgmtReply: body) else {
        return reply(command.opcode, .invalidParameters, nil, now)
      }
      receiveAboutDevice(command.opcode, device, body, now)
    }
  }

  private func records(_ body: [UInt8], from start: Int, of size: Int) -> [[UInt8]] {
    stride(from: start, to: body.count, by: size).map { Array(body[$0..<($0 + size)]) }
  }

  private mutating func receiveAboutDevice(
    _ opcode: MgmtOpcode, _ device: DeviceAddress, _ body: [UInt8], _ now: Instant
  ) {
    switch opcode {
    case .pairDevice: pair(device, now)
    case .cancelPairDevice:
      guard let pending, pending.command == device else {
        return reply(opcode, .invalidParameters, device, now)
      }
      endPairing(.cancelled, now)
      reply(opcode, .success, device, after: 2, now)
    case .unpairDevice: unpair(device, now)
    case .confirm, .enterPasskey:
      reply(opcode, .success, device, now)
      if device == foreignQuestion { foreignConfirmations += 1 }
      guard let pending, isAsking, device == pending.name else { return }
      isAsking = false
      let isWrong = opcode == .enterPasskey && body[7...] != PairingPeer.digits.bytes[...]
      isWrong ? endPairing(.authenticationFailed, after: 40, now) : complete(after: 40, now)
    case .denyConfirmation, .denyPasskey:
      reply(opcode, .success, device, now)
      if device == foreignQuestion { foreignQuestion = nil }
      guard let pending, isAsking, device == pending.name else { return }
      endPairing(.authenticationFailed, after: 5, now)
    default: reply(opcode, .unknownCommand, nil, now)
    }
  }

  private mutating func unpair(_ device: DeviceAddress, _ now: Instant) {
    guard isPowered else { return reply(.unpairDevice, .notPowered, device, now) }
    let hasKey = longTermKeys.contains { $0.device == device }
    // Without a long term key the identity key stays.
    guard hasKey else { return reply(.unpairDevice, .notPaired, device, now) }
    if let pending, pending.name == device { endPairing(.cancelled, now) }
    longTermKeys.removeAll { $0.device == device }
    identityKeys[device] = nil
    links.remove(device)
    reply(.unpairDevice, .success, device, after: 3, now)
  }

  // MARK: - Pairing

  private mutating func pair(_ device: DeviceAddress, _ now: Instant) {
    guard isPowered else { return reply(.pairDevice, .notPowered, device, now) }
    guard pending == nil else { return reply(.pairDevice, .busy, device, now) }
    if longTermKeys.contains(where: { $0.device == device }) {
      return reply(.pairDevice, .alreadyPaired, device, now)
    }
    pending = (device, device)
    isAsking = false
    // The kernel looks for the identity of a device whose identity key it has, otherwise for the address itself.
    let peer = peers.first {
      identityKeys[$0.identity] != nil ? $0.identity == device : $0.uses(device)
    }
    guard let peer, peer.behaviour != .absent else { return }
    links.insert(device)
    emit(.bond(.connected(device)), after: 110, now)
    func ask(_ event: MgmtBondEvent) {
      isAsking = true
      emit(.bond(event), after: 150, now)
    }
    switch peer.behaviour {
    case .justWorks, .legacy: ask(.confirmationRequest(device, digits: nil))
    case .compares: ask(.confirmationRequest(device, digits: PairingPeer.digits))
    case .shows: ask(.passkeyRequest(device))
    case .types:
      emit(.bond(.passkeyNotification(device, digits: PairingPeer.digits)), after: 150, now)
      complete(after: 1200, now)
    case .refuses: endPairing(.authenticationFailed, after: 200, now)
    // The kernel gives up.
    case .silent: completion = now.advanced(milliseconds: 110 + 30_000)
    case .absent: break
    case .vanishes:
      emit(.disconnected(device, .timeout), after: 300, now)
      reply(.pairDevice, .failed, device, after: 301, now)
      (pending, isAsking) = (nil, false)
      links.remove(device)
    }
  }

  private mutating func endPairing(_ status: MgmtStatus, after milliseconds: Int64 = 1, _ now: Instant) {
    guard let (command, name) = pending else { return }
    (pending, isAsking, completion) = (nil, false, nil)
    reply(.pairDevice, status, command, after: milliseconds, now)
    if links.remove(name) != nil { emit(.disconnected(name, .byLocalHost), after: milliseconds + 1, now) }
  }

  private mutating func complete(after milliseconds: Int64, _ now: Instant) {
    completion = now.advanced(milliseconds: milliseconds)
  }

  /// Lets time pass: a pairing may be done.
  public mutating func advance(to now: Instant) {
    guard let end = completion, end <= now else { return }
    completion = nil
    finish(now)
  }

  private mutating func finish(_ now: Instant) {
    guard let (_, name) = pending,
      let peer = peers.first(where: { $0.identity == name || $0.uses(name) })
    else { return }
    guard peer.behaviour != .silent else { return endPairing(.disconnected, now) }
    pending = nil
    let isKept = isBondable && (!peer.isPrivate || areIdentityKeysLoaded)
    let device = isKept ? peer.identity : name
    if peer.isPrivate, let value = KeyValue(peer.identityKeyBytes) {
      if isKept { identityKeys[peer.identity] = value.bytes }
      let key = MgmtKey(peer.identity, value)
      emit(
        .bond(.identityKey(key, address: name == peer.identity ? peer.address : name, isToBeKept: isKept)),
        now)
    }
    let isLegacy = peer.behaviour == .legacy || !usesSecureConnections
    let isAuthenticated = [.compares, .shows, .types].contains(peer.behaviour)
    for central: UInt8 in isLegacy ? [0, 1] : [0] {
      let bytes = peer.longTermKeyBytes(central: central)
      let kind: UInt8 = (isLegacy ? 0 : 2) + (isAuthenticated ? 1 : 0)
      longTermKeys.removeAll { $0.device == device && $0.central == central }
      longTermKeys.append(Key(device: device, central: central, bytes: bytes))
      guard let value = KeyValue(bytes) else { continue }
      let key = MgmtKey(
        device,
        LongTermKey(
          kind: kind, central: central, byteCount: 16, diversifier: isLegacy ? 7 : 0,
          random: isLegacy ? 9 : 0, value: value))
      emit(.bond(.longTermKey(key, isToBeKept: isKept)), now)
    }
    if peer.isDualMode, isKept, let value = KeyValue([UInt8](repeating: 0x77, count: 16)) {
      let device = DeviceAddress(bits: peer.identity.bits, type: .public)
      linkKeys.append(device)
      let key = MgmtKey(device, LinkKey(kind: 7, pinByteCount: 0, value: value))
      emit(.bond(.linkKey(key, isToBeKept: true)), now)
    }
    reply(.pairDevice, .success, device, now)
  }

  /// Another party asks to be let in.
  public mutating func askForForeign(_ device: DeviceAddress, passkey: Bool = false, _ now: Instant) {
    foreignQuestion = device
    emit(
      .bond(passkey ? .passkeyRequest(device) : .confirmationRequest(device, digits: nil)), now)
  }

  /// Another program replaces the lists of keys with empty ones, and sets the adapter up.
  public mutating func clearKeys(_ now: Instant) {
    endPairing(.cancelled, now)
    (identityKeys, longTermKeys, linkKeys) = ([:], [], [])
    emit(.settings(isPowered ? [.powered, .lowEnergy] : [.lowEnergy]), now)
  }

  /// The adapter is pulled out, with all that the kernel had for it.
  public mutating func unplug(_ now: Instant) {
    let (peers, received) = (peers, received)
    self = ModelKernel()
    (self.peers, self.received) = (peers, received)
    emit(.removed, now)
  }

  public mutating func setPower(_ isOn: Bool, _ now: Instant) {
    isPowered = isOn
    if !isOn { endPairing(.notPowered, now) }
    emit(.settings(isOn ? [.powered, .lowEnergy] : [.lowEnergy]), now)
  }
}

extension UInt32 {
  var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}
