// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
public import HCI

/// Lends the adapter that the agent holds alone to the kernel for one pairing, and takes it again.
///
/// Pure: requests, what the shell and the kernel report, and the time go in; actions come out. bluetoothd is sought first:
/// while it runs, nothing is lent. Then the agent releases the adapter, the kernel switches it on and pairs, and the
/// agent takes the adapter again. Every state in which something is awaited has a deadline, and after each of them the adapter is taken
/// again. The pairing ends early enough for the adapter to be back ``PairingRequest/milliseconds`` after the request.
///
/// Capacity: one loan at a time; a further request ends at once with ``PairingError/busy``.
public struct AdapterLoan: Sendable {
  /// How long the adapter may take to be opened again after a pairing, within the pairing's time.
  public static let returnMilliseconds: Int64 = 10_000
  /// The part of a pairing's time that is kept for taking the adapter again.
  static let reservedMilliseconds: Int64 = 4000
  static let seekMilliseconds: Int64 = 5000
  static let releaseMilliseconds: Int64 = 5000
  static let startMilliseconds: Int64 = 4000

  enum State: Equatable, Sendable {
    /// The agent has the adapter, or there is none.
    case resting
    /// bluetoothd is sought.
    case seeking(PairingRequest, until: Instant)
    /// The agent closes the adapter; the kernel reports it then.
    case releasing(PairingRequest, until: Instant)
    /// The kernel switches the adapter on.
    case starting(PairingRequest, until: Instant)
    /// The kernel has the adapter, and the device is being paired.
    case pairing(until: Instant)
    /// The agent takes the adapter again.
    case returning(until: Instant)
    /// The adapter is not back in time. The radio's recovery takes it from here.
    case overdue
  }

  public enum Action: Equatable, Sendable {
    /// Look whether bluetoothd runs, then call ``AdapterLoan/bluetoothdWasSought(isRunning:at:)``.
    case seekBluetoothd
    /// Release the adapter. If that is impossible, call ``AdapterLoan/close(_:)``.
    case release
    /// Send the command to the kernel's management interface.
    case send(MgmtCommand)
    /// Pair through the kernel, as if the request had come at `start`; then call ``AdapterLoan/pairingEnded(at:)``.
    case pair(PairingRequest, start: Instant)
    /// End the pairing with this error.
    case stopPairing(PairingError)
    /// Take the adapter again; then call ``AdapterLoan/noteReturn()`` or ``AdapterLoan/close(_:)``.
    case takeBack
    /// The request has ended before the kernel paired.
    case ended(PairingID, PairingError)
    /// The adapter is not back in time.
    case isOverdue
  }

  private(set) var state = State.resting
  /// The adapter's index.
  private var index: UInt16 = 0
  /// When the request under way came.
  private var start = Instant(microseconds: 0)
  /// How often the adapter was lent, and how often it did not come back, or not in time.
  public private(set) var count: UInt64 = 0
  public private(set) var returnFailures: UInt64 = 0
  private var actions: [Action] = []

  public init() {}

  /// Removes and returns what is to be done, in order.
  public mutating func takeActions() -> [Action] {
    defer { actions.removeAll() }
    return actions
  }

  /// When ``advance(to:)`` is due.
  public var deadline: Instant? {
    switch state {
    case .resting, .overdue: nil
    case .seeking(_, let until), .releasing(_, let until), .starting(_, let until), .pairing(let until),
      .returning(let until):
      until
    }
  }

  /// Whether the kernel has the adapter, and pairs.
  public var isPairing: Bool { if case .pairing = state { true } else { false } }

  /// Whether the kernel may still have the adapter.
  public var isLent: Bool {
    switch state {
    case .resting, .seeking: false
    case .releasing, .starting, .pairing, .returning, .overdue: true
    }
  }

  /// The commands that leave nothing in an adapter that the kernel has had for a pairing: no key, no name of a device,
  /// and no power.
  public static func clearingCommands(_ index: UInt16) -> [MgmtCommand] {
    [.setPowered(false, index), .setBondable(false, index)] + keyClearingCommands(index)
  }

  /// The commands that leave no key in an adapter that the agent gives up, or is about to hold alone.
  public static func keyClearingCommands(_ index: UInt16) -> [MgmtCommand] {
    [.loadIdentityKeys([], index), .loadLongTermKeys([], index), .loadLinkKeys([], index)]
  }

  /// The only place where the state changes.
  private mutating func enter(_ new: State) { state = new }

  private mutating func takeBack(at now: Instant) {
    let end = start.advanced(milliseconds: PairingRequest.milliseconds)
    enter(.returning(until: max(now, min(end, now.advanced(milliseconds: Self.returnMilliseconds)))))
    actions.append(.takeBack)
  }

  /// Ends the request before the kernel paired.
  private mutating func fail(_ error: PairingError, at now: Instant) {
    switch state {
    case .resting, .pairing, .returning, .overdue: break
    case .seeking(let request, _):
      enter(.resting)
      actions.append(.ended(request.id, error))
    case .releasing(let request, _), .starting(let request, _):
      takeBack(at: now)
      actions.append(.ended(request.id, error))
    }
  }
}

// MARK: - Inputs

extension AdapterLoan {
  /// A device is to be paired with the adapter of this index.
  public mutating func pair(_ request: PairingRequest, adapter index: UInt16, at now: Instant) {
    guard state == .resting else {
      return actions.append(.ended(request.id, state == .overdue ? .radioIsGone : .busy))
    }
    if request.isInputDevice { return actions.append(.ended(request.id, .inputDeviceNeedsSharedAccess)) }
    (self.index, start) = (index, now)
    enter(.seeking(request, until: now.advanced(milliseconds: Self.seekMilliseconds)))
    actions.append(.seekBluetoothd)
  }

  /// bluetoothd was sought. While it runs, the adapter is not lent to the kernel, of which it would take it.
  public mutating func bluetoothdWasSought(isRunning: Bool, at now: Instant) {
    switch state {
    case .seeking(let request, _):
      guard !isRunning else { return fail(.exclusiveBesideBluetoothd, at: now) }
      count &+= 1
      enter(.releasing(request, until: now.advanced(milliseconds: Self.releaseMilliseconds)))
      actions.append(.release)
    case .releasing, .starting: if isRunning { fail(.bluetoothdChanged, at: now) }
    case .pairing: if isRunning { actions.append(.stopPairing(.bluetoothdChanged)) }
    case .resting, .returning, .overdue: break
    }
  }

  /// Receives an event of the management socket for pairings.
  public mutating func receive(_ event: MgmtEvent, at now: Instant) {
    guard event.index == index else { return }
    switch (state, event.content) {
    case (.releasing(let request, _), .added):
      enter(.starting(request, until: now.advanced(milliseconds: Self.startMilliseconds)))
      // The kernel prepares an adapter for pairings when this interface switches it on.
      actions += [.send(.setLowEnergy(true, index)), .send(.setPowered(true, index))]
    case (.starting(let request, _), .completed(.setPowered, let status, _)):
      guard status == .success else { return fail(.radioIsGone, at: now) }
      let end = start.advanced(milliseconds: PairingRequest.milliseconds - Self.reservedMilliseconds)
      enter(.pairing(until: end))
      actions.append(
        .pair(request, start: start.advanced(milliseconds: -Self.reservedMilliseconds)))
    case (.starting, .removed): fail(.radioIsGone, at: now)
    default: break
    }
  }

  /// The kernel has paired, or has not.
  public mutating func pairingEnded(at now: Instant) {
    if isPairing { takeBack(at: now) }
  }

  /// Ends a request before the kernel pairs.
  public mutating func cancel(_ id: PairingID, at now: Instant) {
    switch state {
    case .seeking(let request, _), .releasing(let request, _), .starting(let request, _):
      if request.id == id { fail(.cancelled, at: now) }
    case .resting, .pairing, .returning, .overdue: break
    }
  }

  /// The agent has an adapter. Returns whether it is the one that is taken again.
  public mutating func noteReturn() -> Bool {
    switch state {
    case .resting, .seeking, .releasing, .starting, .pairing: return false
    case .returning, .overdue:
      enter(.resting)
      return true
    }
  }

  /// There is no adapter any more, or the agent wants another radio: nothing is taken again.
  public mutating func close(_ error: PairingError) {
    switch state {
    case .resting: return
    case .seeking(let request, _), .releasing(let request, _), .starting(let request, _):
      actions.append(.ended(request.id, error))
    case .pairing: actions.append(.stopPairing(error))
    case .returning: returnFailures &+= 1
    case .overdue: break
    }
    enter(.resting)
  }

  public mutating func advance(to now: Instant) {
    guard let deadline, deadline <= now else { return }
    switch state {
    case .resting, .overdue: break
    case .seeking:
      fail(.notSupported("it was not found out in time whether bluetoothd runs"), at: now)
    case .releasing, .starting: fail(.radioIsGone, at: now)
    case .pairing:
      actions.append(.stopPairing(.timeout(isAsking: false)))
      takeBack(at: now)
    case .returning:
      returnFailures &+= 1
      enter(.overdue)
      actions.append(.isOverdue)
    }
  }
}
