// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Controller
import Registry

/// Pairs devices through the kernel's management interface, and loads the keys of bonds into it.
///
/// Pure: requests, answers, events of a management socket of its own, and the time go in; commands for this socket and
/// actions come out. It takes for granted that no bluetoothd uses the adapter: both would reply to the same questions, and
/// replace each other's keys.
///
/// Every pairing ends with one ``PairingAction/ended(_:_:)``, at the latest ``PairingRequest/milliseconds`` after it
/// began. By then a failed one has left nothing in the kernel, or what it left is removed as soon as the kernel answers.
///
/// Capacity: one pairing at a time; a further one ends at once with ``PairingError/busy``. Of the bonds that were made and
/// are not in the registry yet, the last ``newBondsMax`` are known.
public struct KernelPairing: Sendable {
  package static let newBondsMax = 8
  static let preparationMilliseconds: Int64 = 10_000
  /// How long keys are awaited after the kernel has paired.
  static let keysMilliseconds: Int64 = 2000
  /// How long the second key of legacy pairing is awaited after the kernel has paired.
  static let secondKeyMilliseconds: Int64 = 300
  static let cancellationMilliseconds: Int64 = 1000
  static let undoMilliseconds: Int64 = 3000
  /// How long the device and the person have; what remains is for clearing up.
  static let attemptMilliseconds =
    PairingRequest.milliseconds - cancellationMilliseconds - undoMilliseconds
  /// How long late keys of a pairing that was just made still count as its own.
  static let echoMilliseconds: Int64 = 5000
  static let busyPauseMilliseconds: Int64 = 500
  static let triesMax = 5

  package enum State: Equatable, Sendable {
    case idle
    /// Keys are loaded, an old bond is removed, and keys are let be kept.
    case preparing(until: Instant)
    /// Pair Device is repeated at this time, because the device is being connected.
    case pausing(until: Instant)
    /// Pair Device was sent.
    case pairing(until: Instant)
    /// Pair Device is done, and keys are missing.
    case awaitingKeys(until: Instant)
    /// The pairing fails, and Pair Device has yet to reply.
    case ending(PairingError, until: Instant)
    /// The pairing has failed, and what it left is removed.
    case undoing(PairingError, until: Instant)
  }

  /// The adapter's index; nil while there is none.
  package private(set) var adapter: UInt16?
  package var state = State.idle
  var attempt: PairingAttempt?
  var loading = KernelKeyLoading()
  package var unpairs = UnpairQueue()
  var cancellation = PairingCancellation()
  package var bondable = BondableSwitch()
  /// The bonds of the registry whose keys the kernel shall have: those of the gateway, and lost ones of bluetoothd, whose
  /// identity keys find the devices.
  private(set) var bonds: [DeviceBond] = []
  /// The bonds that were made since, and are not in the registry yet.
  package var newBonds: [DeviceBond] = []
  /// The device that was paired last, and how long late keys of it are its own.
  var echo: (device: DeviceAddress, until: Instant)?
  private var isPowered: Bool?
  var commands: [MgmtCommand] = []
  var actions: [PairingAction] = []

  public init() {}

  /// Removes and returns the commands to send, in order.
  public mutating func takeCommands() -> [MgmtCommand] {
    defer { commands.removeAll() }
    return commands
  }

  /// Removes and returns what the inputs since the last call have caused, in order.
  public mutating func takeActions() -> [PairingAction] {
    defer { actions.removeAll() }
    return actions
  }

  /// When ``advance(to:)`` is due.
  public var deadline: Instant? {
    // Every turn of the agent asks: without an array nothing is allocated.
    var due = stateEnd
    due = .earliest(due, loading.deadline)
    due = .earliest(due, unpairs.deadline)
    due = .earliest(due, cancellation.deadline)
    due = .earliest(due, bondable.deadline)
    return due
  }

  package var stateEnd: Instant? {
    switch state {
    case .idle: nil
    case .preparing(let until), .pausing(let until), .pairing(let until), .awaitingKeys(let until),
      .ending(_, let until), .undoing(_, let until):
      until
    }
  }

  public var isOpen: Bool { adapter != nil }

  /// Why the kernel pairs no device with this adapter; nil when it does, as far as is known.
  public var refusal: PairingError? { bondable.isRefused ? .notPermitted : loading.error }

  /// Whether a device is being paired.
  public var isPairing: Bool { attempt != nil }

  /// Whether a pairing, or the removal of a bond, is under way.
  public var isBusy: Bool { isPairing || unpairs.count > 0 }

  /// The commands that leave nothing of a pairing in the kernel, for the agent's end.
  public var endingCommands: [MgmtCommand] {
    guard let adapter else { return [] }
    var commands: [MgmtCommand] = []
    if let attempt, attempt.tries > 0 {
      commands.append(.cancelPairing(with: attempt.target, adapter))
      commands.append(.unpair(attempt.identity, adapter))
    }
    // No accessory has them, and the next run of the agent would not know of them.
    commands += (newBonds.map(\.identity) + unpairs.devices).map { .unpair($0, adapter) }
    if bondable.mayBeOn || bondable.isWanted { commands.append(.set(.setBondable, to: false, adapter)) }
    return commands
  }

  /// Opens an adapter, and loads the keys of the registry's bonds.
  public mutating func open(adapter index: UInt16, bonds: [DeviceBond], at now: Instant) {
    close()
    adapter = index
    loading.open()
    setBonds(bonds, at: now)
  }

  /// The commands that leave no key in an adapter that the agent gives up, or is about to hold alone.
  public static func keyClearingCommands(_ index: UInt16) -> [MgmtCommand] {
    [.loadIdentityKeys([], index), .loadLongTermKeys([], index), .loadLinkKeys([], index)]
  }

  /// The adapter is gone, or is about to be used by another program; a pairing ends with this error.
  public mutating func close(_ error: PairingError = .radioIsGone) {
    // Whether keys may be kept is for a bluetoothd that has come to say.
    commands += endingCommands.filter { error != .bluetoothdChanged || $0.opcode != .setBondable }
    adapter = nil
    loading.close()
    unpairs.removeAll()
    cancellation.end()
    bondable.close()
    (newBonds, echo, isPowered) = ([], nil, nil)
    if state != .idle { end(.failure(error)) }
  }

  /// Replaces the registry's bonds.
  public mutating func setBonds(_ bonds: [DeviceBond], at now: Instant) {
    self.bonds = bonds.filter { $0.owner == .gateway || $0.isLost && $0.keys.identityKey != nil }
    newBonds.removeAll { bond in
      bonds.contains { $0.identity == bond.identity && $0.keys == bond.keys && !$0.isLost }
    }
    settle(at: now)
  }

  /// Removes the bond with the device of this identity from the kernel.
  public mutating func unpair(_ device: DeviceAddress, at now: Instant) {
    bonds.remove(device)
    newBonds.remove(device)
    remove(device)
    settle(at: now)
  }

  /// Has the kernel remove the keys of a device.
  mutating func remove(_ device: DeviceAddress) {
    guard adapter != nil, !unpairs.add(device) else { return }
    loading.invalidate()
  }

  /// The bonds to load into the kernel now.
  var wantedBonds: [DeviceBond] {
    let made = Set(newBonds.map(\.identity))
    var wanted = bonds.filter { !made.contains($0.identity) } + newBonds
    // The bond that a pairing replaces keeps its identity key, so that the kernel knows the device's private addresses.
    if let replaced = attempt?.replaced, allowsKeys { wanted.lose(replaced.identity) }
    return wanted.inOrder.fittingInto(MgmtCommand.longTermKeysMax)
  }

  /// The good bonds whose long term keys are not loaded, because the kernel takes no more of them.
  public var leftOut: [DeviceAddress] {
    guard isOpen else { return [] }
    return loading.wanted.filter { $0.isLost && isBonded($0.identity) }.map(\.identity)
  }

  /// The bond that the kernel would name this address by.
  func bond(of address: DeviceAddress) -> DeviceBond? {
    newBonds.first { $0.names(address) } ?? bonds.first { $0.names(address) }
  }

  /// Whether the bond with this device is good, as far as is known.
  func isBonded(_ identity: DeviceAddress) -> Bool {
    (newBonds + bonds).areGood(for: identity)
  }

  /// Reports that a bond is lost, once.
  mutating func lose(_ identity: DeviceAddress) {
    guard isBonded(identity) else { return }
    if let bond = newBonds.first(where: { $0.identity == identity }) {
      newBonds.remove(identity)
      bonds.remove(identity)
      bonds.append(bond)
    }
    bonds.lose(identity)
    actions.append(.bondWasLost(identity))
  }

  public mutating func advance(to now: Instant) {
    guard adapter != nil else { return }
    loading.advance(to: now)
    if let outcome = unpairs.advance(to: now) { noteRemoval(outcome) }
    cancellation.advance(to: now)
    bondable.advance(to: now)
    if let end = stateEnd, end <= now { passDeadline(at: now) }
    settle(at: now)
  }

  /// Receives the adapter's settings. Returns whether it was switched off.
  mutating func receiveSettings(_ settings: AdapterSettings) -> Bool {
    let wasPowered = isPowered
    isPowered = settings.contains(.powered)
    guard wasPowered == false, isPowered == true else { return isPowered == false }
    // A power cycle keeps keys, but what else happened to the adapter meanwhile is not known.
    loading.invalidate()
    bondable.invalidate()
    return false
  }

  mutating func noteRemoval(_ outcome: UnpairQueue.Outcome) {
    switch outcome {
    case .removed(let device): loading.noteRemoved(device)
    // Loading all keys again removes what is left.
    case .unclear: loading.invalidate()
    }
  }

  /// Brings the kernel nearer to what is wanted: sends what may be sent now.
  mutating func settle(at now: Instant) {
    guard let adapter else { return }
    sendCommands(adapter, at: now)
    advanceAttempt(at: now)
    sendCommands(adapter, at: now)
  }

  private mutating func sendCommands(_ index: UInt16, at now: Instant) {
    loading.wanted = wantedBonds
    bondable.isWanted = allowsKeys
    if let command = cancellation.nextCommand(index, at: now) { commands.append(command) }
    if let command = unpairs.nextCommand(index, at: now) { commands.append(command) }
    if let command = loading.nextCommand(index, mayBegin: mayLoadKeys, at: now) { commands.append(command) }
    if let command = bondable.nextCommand(index, at: now) { commands.append(command) }
  }

  /// Whether a pairing of the agent may have keys kept.
  package var allowsKeys: Bool {
    switch state {
    case .idle, .ending, .undoing: false
    case .preparing, .pausing, .pairing, .awaitingKeys: true
    }
  }

  /// A list replaces the keys that a pairing makes. After a removal it also shows that the removal was complete.
  private var mayLoadKeys: Bool {
    switch state {
    case .idle, .preparing, .undoing: unpairs.count == 0
    case .pausing, .pairing, .awaitingKeys, .ending: false
    }
  }
}
