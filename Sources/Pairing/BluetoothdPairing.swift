// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI

/// Pairs devices through bluetoothd, which keeps their bonds.
///
/// Pure: what the bus and the kernel report goes in with its time; calls and results come out. One device is paired at a
/// time. The bus is open while a device is paired or removed, and while bluetoothd keeps a bond of the gateway.
public struct BluetoothdPairing: Sendable {
  /// How long after the bus could not be used it is tried again.
  static let reopenMilliseconds: Int64 = 10_000
  static let openMilliseconds: Int64 = 5000
  /// How long after bluetoothd forgot the device the reply to `Pair` may take.
  static let removedPairMilliseconds: Int64 = 2000

  /// What was counted since the start.
  public struct Counters: Equatable, Sendable {
    /// Messages that could not be read, or that another program sent.
    public var malformed: UInt64 = 0
    /// Questions of bluetoothd that belong to no pairing of the gateway.
    public var foreignQuestions: UInt64 = 0
    /// Devices and adapters without a place in the table.
    public var objectsTurnedAway: UInt64 = 0
  }

  package struct Adapter: Equatable, Sendable {
    let index: UInt16
    /// 48 bits; 0 while it is not known.
    let address: UInt64
  }

  package enum Bus: Equatable, Sendable {
    /// It is not opened before this time.
    case closed(until: Instant?)
    case opening(until: Instant)
    case open(isRunning: Bool)
  }

  package var adapter: Adapter?
  /// The adapter goes once the pairing is undone.
  package var isClosing = false
  package var bus = Bus.closed(until: nil)
  var objects = BusObjects()
  package var attempt: BusAttempt?
  package var bonds = BusBonds()
  public internal(set) var counters = Counters()
  private var calls: [BusCall] = []
  var commands: [MgmtCommand] = []
  private var lastCall: UInt64 = 0
  var actions: [PairingAction] = []
  private var busChange: Bool?

  public init() {}

  /// bluetoothd has this adapter; `address` is 0 while it is not known.
  public mutating func open(adapter index: UInt16, address: UInt64, at now: Instant) {
    let opened = Adapter(index: index, address: address)
    if let adapter, adapter != opened { endAttempt(.radioIsGone, at: now) }
    (adapter, isClosing) = (opened, false)
    if !bonds.kept.isEmpty { bonds.checkDue = now.advanced(milliseconds: BusBonds.checkMilliseconds) }
    if !bonds.removals.isEmpty { bonds.removalDue = now }
    settle(at: now)
  }

  /// The adapter is gone, or bluetoothd no longer has it: a pairing ends with this error. One whose adapter is gone is
  /// undone first, because bluetoothd, which goes on, may have the adapter again.
  public mutating func close(_ error: PairingError, at now: Instant) {
    if error == .radioIsGone, attempt != nil, bus == .open(isRunning: true) {
      isClosing = true
      failWithoutAdapter(at: now)
    } else {
      endAttempt(error, at: now)
      adapter = nil
    }
    settle(at: now)
  }

  /// Whether a device is being paired.
  public var isPairing: Bool { attempt != nil }

  /// Whether a pairing is under way, or a bond is to be removed and not after a failure only: a bus that has just been
  /// opened is given some time.
  public func isBusy(at now: Instant) -> Bool {
    let end = now.advanced(milliseconds: BusBonds.checkMilliseconds)
    return isPairing || bonds.job != nil || adapter != nil && bonds.removalDue.map { $0 <= end } == true
  }

  /// Replaces the registry's bonds.
  public mutating func setBonds(_ new: [DeviceBond], at now: Instant) {
    bonds.keep(new, checkAt: now.advanced(milliseconds: BusBonds.checkMilliseconds))
    settle(at: now)
  }

  public mutating func pair(_ request: PairingRequest, at now: Instant) {
    guard adapter != nil, !isClosing else {
      return actions.append(.ended(request.id, .failure(.radioIsGone)))
    }
    guard attempt == nil else { return actions.append(.ended(request.id, .failure(.busy))) }
    attempt = BusAttempt(request, at: now)
    // It is begun again after the pairing.
    if bonds.job?.kind == .check { bonds.checkDue = now }
    bonds.job = nil
    switch bus {
    case .open(isRunning: true): enter(.registering, at: now)
    case .open(isRunning: false): endAttempt(.bluetoothdChanged, at: now)
    case .closed: bus = .closed(until: nil)
    case .opening: break
    }
    settle(at: now)
  }

  /// Returns false if nothing of this kind was asked.
  public mutating func answer(_ id: PairingID, _ answer: PairingAnswer, at now: Instant) -> Bool {
    guard let question = attempt?.question, attempt?.request.id == id else { return false }
    switch (answer, question.isDigits) {
    case (.digits(let digits), true) where digits < 1_000_000: reply(to: question.token, .digits(digits))
    case (.digitsMatch(let isSame), false):
      if !isSame { attempt?.questionEnd = .digitsDiffer }
      reply(to: question.token, isSame ? .accept : .refuse)
    case (.digits, _), (.digitsMatch, true): return false
    }
    attempt?.question = nil
    return true
  }

  public mutating func cancel(_ id: PairingID, at now: Instant) {
    guard attempt?.request.id == id else { return }
    fail(.cancelled, at: now)
    settle(at: now)
  }

  /// Removes a bond of bluetoothd by the device's identity, as soon as bluetoothd can.
  public mutating func unpair(_ device: DeviceAddress, at now: Instant) {
    bonds.addRemoval(device, at: now)
    bonds.lose(device)
    settle(at: now)
  }

  /// Does not remove a bond that was to be removed, unless that is under way.
  public mutating func keepBond(_ device: DeviceAddress, at now: Instant) {
    bonds.endRemoval(device, at: now)
    settle(at: now)
  }

  public mutating func receive(_ event: MgmtEvent, at now: Instant) {
    // bluetoothd may have ended meanwhile, and has the bond under the identity when it is back.
    if case .bond(.identityKey(let key, let address?, isToBeKept: true)) = event.content {
      bonds.noteIdentity(key.device, of: address)
    }
    guard event.index == adapter?.index else { return }
    switch event.content {
    case .bond(.unpaired(let identity)):
      if attempt.map({ !isSought(identity, by: $0.request) }) ?? true { reportLoss(of: identity) }
    case .bond(let bond):
      attempt?.keys.receive(bond)
      finishIfKeysAreKnown(at: now)
    case .disconnected(let device, _):
      if let request = attempt?.request, device == request.device || attemptAddress == device {
        attempt?.linkEnded = true
      }
    case .settings(let settings): if !settings.contains(.powered) { failWithoutAdapter(at: now) }
    case .completed, .added, .removed, .discovering, .monitorRemoved, .other: break
    }
    settle(at: now)
  }

  public mutating func receive(_ event: BusEvent, at now: Instant) {
    switch event {
    case .owner(let isRunning): receiveOwner(isRunning, at: now)
    case .closed(let error): receiveClosing(error, at: now)
    case .reply(let call, let failure): receiveReply(to: call, failure, at: now)
    case .malformed: ignoreMessage(.unreadable)
    case .otherProgram: ignoreMessage(.otherProgram)
    case .device(let path, let properties):
      if !objects.update(device: path, properties) { counters.objectsTurnedAway &+= 1 }
      if properties.isPaired == false { suspectLoss(of: path, at: now) }
      receiveDevice(path, at: now)
    case .adapter(let path, let properties):
      if !objects.update(adapter: path, properties) { counters.objectsTurnedAway &+= 1 }
    case .removed(let path):
      suspectLoss(of: path, at: now)
      receiveRemoval(of: path, at: now)
      objects.remove(path)
    case .question(let token, let question, let device): receiveQuestion(token, question, device, at: now)
    case .questionsCancelled:
      if attempt?.question.take() != nil { attempt?.questionEnd = .withdrawn }
    }
    settle(at: now)
  }

  private mutating func receiveReply(to call: UInt64, _ failure: BusCallError?, at now: Instant) {
    if call == attempt?.pairCall {
      receivePairReply(failure, at: now)
    } else if call == attempt?.call {
      receiveStepReply(failure, at: now)
    } else if call == bonds.job?.call {
      receiveJobReply(failure, at: now)
    }
  }

  public mutating func advance(to now: Instant) {
    if case .opening(let until) = bus, until <= now { receiveClosing(.bluetoothdChanged, at: now) }
    if let attempt, attempt.step.isUnderWay, attempt.end <= now {
      fail(.timeout(isAsking: attempt.isAsking), at: now)
    } else if let attempt, attempt.stepEnd <= now {
      stepTimedOut(at: now)
    }
    if let job = bonds.job, job.end <= now { receiveJobReply(BusCallError(name: "timeout"), at: now) }
    settle(at: now)
  }

  public var deadline: Instant? {
    var due = bonds.job?.end
    if let attempt {
      due = .earliest(due, attempt.stepEnd)
      if attempt.step.isUnderWay { due = .earliest(due, attempt.end) }
    }
    if case .opening(let until) = bus { due = .earliest(due, until) }
    if case .closed(let until?) = bus, wantsBus { due = .earliest(due, until) }
    guard let jobDue = Instant.earliest(bonds.checkDue, bonds.removalDue), canBeginJob else { return due }
    return .earliest(due, jobDue)
  }

  public mutating func takeActions() -> [PairingAction] {
    defer { (actions, bonds.actions) = ([], []) }
    return actions + bonds.actions
  }

  /// Returns the calls to make now, in order.
  public mutating func takeCalls() -> [BusCall] {
    defer { calls = [] }
    return calls
  }

  /// Returns the commands for the kernel's management interface, in order.
  public mutating func takeCommands() -> [MgmtCommand] {
    defer { commands = [] }
    return commands
  }

  /// Returns whether to open (true) or to close the bus, once; before ``takeCalls()``.
  public mutating func takeBusChange() -> Bool? { busChange.take() }

  // MARK: - Output

  /// Counts and reports a message that is not used.
  mutating func ignoreMessage(_ reason: BusMessageError) {
    counters.malformed &+= 1
    actions.append(.busMessageWasIgnored(reason))
  }

  /// Queues a call. Returns its number.
  @discardableResult
  mutating func call(_ method: BusCall.Method, milliseconds: Int64) -> UInt64 {
    lastCall &+= 1
    calls.append(BusCall(number: lastCall, method: method, milliseconds: UInt32(milliseconds)))
    return lastCall
  }

  mutating func reply(to question: UInt64, _ answer: BusAnswer) {
    call(.answer(question: question, answer), milliseconds: 0)
  }

  // MARK: - The bus

  /// Whether the bus has to be open.
  var wantsBus: Bool {
    attempt != nil || adapter != nil && !(bonds.kept.isEmpty && bonds.removals.isEmpty)
  }

  /// The path of the adapter, in which bluetoothd's devices are looked for.
  var adapterPath: String? {
    adapter.flatMap { objects.adapter(address: $0.address, index: $0.index) }
  }

  /// Opens or closes the bus, and begins what is due, after each input.
  private mutating func settle(at now: Instant) {
    switch bus {
    case .closed(let until):
      guard wantsBus, until.map({ $0 <= now }) ?? true else { return }
      bus = .opening(until: now.advanced(milliseconds: Self.openMilliseconds))
      busChange = true
    case .opening, .open:
      guard !wantsBus else { return beginJobIfDue(at: now) }
      closeBus(until: nil)
    }
  }

  private mutating func closeBus(until: Instant?) {
    bus = .closed(until: until)
    busChange = false
    calls = []
    objects = BusObjects()
    bonds.job = nil
  }

  private mutating func receiveOwner(_ isRunning: Bool, at now: Instant) {
    guard bus != .open(isRunning: isRunning) else { return }
    if case .closed = bus { return }
    bus = .open(isRunning: isRunning)
    if !isRunning { endAttempt(.bluetoothdChanged, at: now) }
    objects = BusObjects()
    bonds.job = nil
    guard isRunning else { return }
    if !bonds.kept.isEmpty { bonds.checkDue = now.advanced(milliseconds: BusBonds.checkMilliseconds) }
    if !bonds.removals.isEmpty { bonds.removalDue = now.advanced(milliseconds: BusBonds.checkMilliseconds) }
    if attempt?.step == .openingBus { enter(.registering, at: now) }
  }

  private mutating func receiveClosing(_ error: PairingError, at now: Instant) {
    if case .closed = bus { return }
    endAttempt(error, at: now)
    closeBus(until: now.advanced(milliseconds: Self.reopenMilliseconds))
  }

  // MARK: - The bonds that bluetoothd keeps, has lost, or is to remove

  var canBeginJob: Bool {
    attempt == nil && bonds.job == nil && adapter != nil && bus == .open(isRunning: true)
  }

  /// Begins the next comparison or removal. Both begin with a list.
  mutating func beginJobIfDue(at now: Instant) {
    guard canBeginJob else { return }
    if let due = bonds.removalDue, due <= now, let identity = bonds.removals.first {
      beginJob(.remove(identity, isListed: false), at: now)
    } else if let due = bonds.checkDue, due <= now {
      bonds.checkDue = nil
      beginJob(.check, at: now)
    }
  }

  private mutating func beginJob(_ kind: BusBonds.Job.Kind, at now: Instant) {
    objects.beginList()
    let number = call(.listObjects, milliseconds: BusBonds.callMilliseconds)
    let end = now.advanced(milliseconds: 2 * BusBonds.callMilliseconds)
    bonds.job = BusBonds.Job(kind: kind, call: number, end: end)
  }

  mutating func receiveJobReply(_ failure: BusCallError?, at now: Instant) {
    guard let job = bonds.job else { return }
    bonds.job = nil
    switch job.kind {
    case .check: endCheck(failure, at: now)
    case .remove(let identity, isListed: false): removeListed(identity, job, failure, at: now)
    case .remove(let identity, isListed: true):
      if let failure, !failure.isUnknownObject { return bonds.postponeRemoval(identity, at: now) }
      bonds.endRemoval(identity, at: now)
    }
  }

  private mutating func removeListed(
    _ identity: DeviceAddress, _ job: BusBonds.Job, _ failure: BusCallError?, at now: Instant
  ) {
    guard failure == nil else { return bonds.postponeRemoval(identity, at: now) }
    objects.endList()
    // Without the adapter the list does not say whether there is a bond.
    guard let adapterPath else { return bonds.postponeRemoval(identity, at: now) }
    guard let device = objects.device(of: adapterPath, where: { $0 == identity }) else {
      return bonds.endRemoval(identity, at: now)
    }
    var next = job
    next.kind = .remove(identity, isListed: true)
    next.call = call(
      .removeDevice(device, adapter: adapterPath), milliseconds: BusBonds.callMilliseconds)
    bonds.job = next
  }

  private mutating func endCheck(_ failure: BusCallError?, at now: Instant) {
    let isListed = failure == nil
    if isListed { objects.endList() }
    guard isListed, let adapterPath else {
      bonds.checkDue = now.advanced(milliseconds: BusBonds.retryMilliseconds)
      return
    }
    for bond in bonds.kept {
      let device = objects.device(of: adapterPath) { $0 == bond.identity }
      if !(device.map { objects.isPaired($0) } ?? false) { reportLoss(of: bond.identity) }
    }
  }

  mutating func reportLoss(of identity: DeviceAddress) {
    guard bonds.stored.areGood(for: identity), !bonds.removals.contains(identity) else { return }
    bonds.lose(identity)
    actions.append(.bondWasLost(identity))
  }

  /// Compares the bonds with bluetoothd's list soon, if this is the device of one of them.
  mutating func suspectLoss(of path: String, at now: Instant) {
    guard let address = objects.address(of: path), bonds.stored.areGood(for: address) else { return }
    bonds.checkDue = now.advanced(milliseconds: BusBonds.checkMilliseconds)
  }
}
