// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import Pairing
public import Registry

/// One setup, or one question to the operators, from its beginning to its end.
///
/// Pure: what is received, what operators and apps decide, and the time go in; effects come out. Every change of
/// ``state`` goes through one setter. A flow without a picker and a question belongs to an accessory that awaits its
/// app although no operator chose it: one that was set up automatically, was imported, or is left over from the run
/// before.
public struct SetupFlow: Sendable {
  public enum State: Equatable, Sendable {
    /// The flow was created; the next state follows in the same input.
    case created
    /// The picker is open; no candidate has been shown yet.
    case discovering
    /// A candidate was shown at that time; there may be none any more.
    case choosing(since: Instant)
    /// The chosen device is being paired; ``end`` is the pairing's own deadline.
    case pairing(PairingID, until: Instant)
    /// A candidate was chosen, and an operator types its name; after that time it gets the item's name.
    case naming(until: Instant)
    /// The accessory is being written to the registry.
    case adding(RandomIdentifier)
    /// The accessory waits for its app to confirm it; after that time it is taken back.
    case confirming(until: Instant)
    /// The app's confirmation, or the removal of the accessory, is being written.
    case settling(until: Instant)
    /// The accessory is being taken back, for this reason. The call is an app's that gave it back.
    case takingBack(SetupError, CallID?)
    /// The operators have been asked a question, or to agree to a picker's migration.
    case asking
    /// What an operator agreed to is being written.
    case writing
    /// The flow is over; nil on success.
    case finished(SetupError?)
  }

  /// The party that began the flow.
  enum Origin: Equatable, Sendable {
    /// An app, in the session with this token.
    case session(RandomIdentifier)
    /// An operator, on the app's behalf.
    case `operator`
    case automatic(AutomaticKey)
    /// The registry had the accessory when the agent started.
    case previousRun
    /// The accessory was imported.
    case registry
  }

  /// The party that made the choice.
  package enum Chooser: Equatable, Sendable {
    /// An operator, in a call that waits for its reply.
    case `operator`(CallID)
    /// The opener said in its call what to choose.
    case opener
    case touch
  }

  /// The candidate that is being set up, or was set up last.
  package struct Choice: Sendable {
    let candidate: PickerCandidate
    var chooser: Chooser
    /// The name of a network of which the item has only the prefix.
    let network: [UInt8]?
    /// The name that an operator typed.
    var name: String?
    /// The name to ask with, if an operator is asked for another.
    var nameToAskWith: String?
    /// The accessory that gets the candidate in place of its device.
    var replaced: RandomIdentifier?
  }

  /// What the caller does for the flow, in this order.
  enum Effect: Equatable, Sendable {
    case log(from: State, to: State)
    /// Sends the event to the session that began the flow.
    case emit(AppEvent.Kind)
    case pair(PairingRequest)
    case cancelPairing(PairingID)
    /// Removes the bond of a device that did not become an accessory.
    case unpair(PairedDevice)
    /// Writes the device to the registry as an accessory with this identifier.
    case add(RandomIdentifier)
    case takeBack(RandomIdentifier, SetupError, CallID?)
    case reply(CallID, Result<CallResult, OperatorError>)
    case signal(GatewaySignal)
    /// The flow is over and is removed.
    case end
  }

  /// How long an operator may take to type a name.
  static let nameMilliseconds: Int64 = 60_000
  /// How long an app may take to confirm an accessory.
  static let confirmMilliseconds: Int64 = 120_000
  /// How long a question to the operators stays open.
  static let answerMilliseconds: Int64 = 60_000

  public let id: RandomIdentifier
  public let app: String
  var origin: Origin
  public let openedAt: Instant
  /// Only ``enter(_:)`` changes it.
  public private(set) var state = State.created
  /// nil unless the flow looks for devices.
  public internal(set) var picker: PickerRequest?
  /// What the operators are asked.
  public let question: SetupQuestion?
  package var choice: Choice?
  /// The pairing of the chosen device, until the accessory is written.
  public internal(set) var pairing: FlowPairing?
  /// The accessory that is asked about, awaits its app, or was set up last.
  public internal(set) var accessory: RandomIdentifier?
  public internal(set) var displayName: String?
  /// The most recent setback, as a sentence for operators.
  public internal(set) var detail: String?
  /// The accessories that were set up so far.
  public internal(set) var completed: [CompletedSetup] = []
  /// The operator who opened it has disconnected.
  var isAbandoned = false
  /// Its app has closed it, or ended its session.
  var isEndedByApp = false

  /// Creates a flow with a picker; ``present()`` opens it.
  init(_ id: RandomIdentifier, app: String, _ origin: Origin, _ picker: PickerRequest, at now: Instant) {
    (self.id, self.app, self.origin, openedAt) = (id, app, origin, now)
    self.picker = picker
    question = nil
  }

  /// Creates a flow with a question; ``ask()`` asks it.
  init(
    _ id: RandomIdentifier, app: String, _ origin: Origin, _ question: SetupQuestion, displayName: String,
    at now: Instant
  ) {
    (self.id, self.app, self.origin, openedAt) = (id, app, origin, now)
    self.question = question
    accessory = question.accessory
    self.displayName = displayName
  }

  /// Creates the flow of an accessory that no operator chose; ``add(_:name:)`` or ``awaitApp(until:)`` follows. It has
  /// the identifier of its accessory.
  init(_ accessory: RandomIdentifier, app: String, _ origin: Origin, at now: Instant) {
    (id, self.app, self.origin, openedAt) = (accessory, app, origin, now)
    self.accessory = accessory
    question = nil
  }

  // MARK: - Queries

  /// Whether operators see it.
  var isRequest: Bool { picker != nil || question != nil }

  /// The session that began it; nil when no app did.
  public var session: RandomIdentifier? {
    if case .session(let token) = origin { token } else { nil }
  }

  public var isOnBehalf: Bool { origin == .operator }

  /// Whether candidates can be chosen.
  public var isLooking: Bool { state.has(.isLooking) }

  /// Whether operators are asked to agree to the picker's migration, or one has agreed.
  public var asksForMigration: Bool { state.has(.asksOperators) && picker != nil }

  /// Whether its accessory is in the registry and waits for a decision of its app.
  package func awaitsApp(with identifier: RandomIdentifier) -> Bool {
    state.has(.awaitsApp) && accessory == identifier
  }

  package func isTakingBack(_ identifier: RandomIdentifier) -> Bool {
    if case .takingBack = state { accessory == identifier } else { false }
  }

  /// The accessory whose device the chosen candidate replaces, or is to; nil for a setup of a new one.
  public var replaced: RandomIdentifier? { choice?.replaced ?? picker?.replaced }

  /// The item of the chosen candidate, with the options that the app gave the candidate.
  public var chosenItem: PickerItem? { choice.flatMap { picker?.item(of: $0.candidate) } }

  /// The candidate that may not give way to another one.
  var keptCandidate: UInt32? { state.has(.hasChosen) ? choice?.candidate.number : nil }

  /// When it ends or continues by itself; operators see this time.
  public var end: Instant? {
    switch state {
    case .discovering: picker?.end(openedAt: openedAt)
    case .choosing(let since):
      picker.flatMap { picker in
        picker.isAttended
          ? since.advanced(milliseconds: picker.idleMilliseconds) : picker.end(openedAt: openedAt)
      }
    case .pairing(_, let end), .naming(let end), .confirming(let end), .settling(let end): end
    case .asking:
      picker.map { $0.lookingSince.advanced(milliseconds: $0.idleMilliseconds) }
        ?? openedAt.advanced(milliseconds: Self.answerMilliseconds)
    case .created, .adding, .takingBack, .writing, .finished: nil
    }
  }

  /// When the flow next has to be given the time.
  var deadline: Instant? {
    switch state {
    case .discovering, .choosing:
      .earliest(end, .earliest(picker?.candidates.deadline, picker?.touches.choice?.deadline))
    case .pairing(_, let end): end.advanced(milliseconds: FlowPairing.endMilliseconds)
    case .naming, .confirming, .asking: end
    case .created, .adding, .settling, .takingBack, .writing, .finished: nil
    }
  }

  /// Changes the state; the only place that does. Returns the log line and the entry actions of the new state.
  mutating func enter(_ new: State) -> [Effect] {
    let old = state
    precondition(!old.isFinished, "a flow that has finished is removed")
    state = new
    return [.log(from: old, to: new)] + entryActions(from: old)
  }

  private func entryActions(from old: State) -> [Effect] {
    switch state {
    case .discovering: old == .created ? [.emit(.pickerDidPresent)] : []
    case .pairing:
      (picker == nil ? [] : [.emit(.pickerSetupPairing)]) + (pairing.map { [.pair($0.request)] } ?? [])
    case .naming: [.emit(.pickerSetupRename)]
    case .adding(let identifier): [.add(identifier)]
    case .takingBack(let failure, let call): accessory.map { [.takeBack($0, failure, call)] } ?? []
    case .finished(let failure): endingActions(failure, from: old)
    case .asking: old == .created && picker != nil ? [.emit(.pickerDidPresent)] : []
    case .created, .choosing, .confirming, .settling, .writing: []
    }
  }

  /// Reports the end to the app, and to the operator whose call waits for it.
  private func endingActions(_ failure: SetupError?, from old: State) -> [Effect] {
    var effects = failure == nil ? [] : undoingActions(from: old)
    guard picker != nil else { return effects + [.end] }
    if let failure, old.has(.isSettingUp) || pairing?.hasFailed ?? false {
      effects += touchSignal(.failure) + [.emit(.pickerSetupFailed(failure))]
    }
    effects += [.emit(.pickerDidDismiss), .emit(.pickerFinished(failure))]
    if let failure, case .operator(let call)? = choice?.chooser {
      effects.append(.reply(call, .failure(.setupFailed(failure))))
    }
    return effects + [.end]
  }

  /// Signals at the gateway how a touch ended.
  func touchSignal(_ outcome: GatewaySignal.TouchOutcome) -> [Effect] {
    guard choice?.chooser == .touch, let item = chosenItem else { return [] }
    return [.signal(.touch(outcome, item: item.item.id, app: app))]
  }

  /// What is true in a state. A question of one bit about the states is a trait, and not a switch.
  struct Traits: OptionSet, Sendable {
    let rawValue: UInt8

    /// Candidates can be chosen.
    static let isLooking = Self(rawValue: 1)
    /// A candidate was chosen, and is not an accessory yet.
    static let hasChosen = Self(rawValue: 2)
    /// Operators are asked, or what one agreed to is being written.
    static let asksOperators = Self(rawValue: 4)
    /// An accessory is in the registry and waits for a decision of its app.
    static let awaitsApp = Self(rawValue: 8)
    /// The decision about an accessory is being written.
    static let isDecided = Self(rawValue: 16)
    /// A setup that ends here has failed, and was not just cancelled.
    static let isSettingUp = Self(rawValue: 32)
    static let isFinished = Self(rawValue: 64)
  }
}

// MARK: - The table of the states

extension SetupFlow.State {
  private var row: (name: String, traits: SetupFlow.Traits) {
    switch self {
    case .created: ("created", [])
    case .discovering: ("discovering", .isLooking)
    case .choosing: ("choosing", .isLooking)
    case .pairing: ("pairing", .hasChosen)
    case .naming: ("naming", .hasChosen)
    case .adding: ("adding", [.hasChosen, .isSettingUp])
    case .confirming: ("confirming", [.awaitsApp, .isSettingUp])
    case .settling: ("settling", [.awaitsApp, .isDecided, .isSettingUp])
    case .takingBack: ("takingBack", [.isDecided, .isSettingUp])
    case .asking: ("asking", .asksOperators)
    case .writing: ("writing", [.asksOperators, .isSettingUp])
    case .finished(nil): ("finished", .isFinished)
    case .finished: ("failed", .isFinished)
    }
  }

  /// The name of the state in the log.
  public var name: String { row.name }

  /// Whether the state has one of these traits.
  func has(_ traits: SetupFlow.Traits) -> Bool { !row.traits.isDisjoint(with: traits) }

  package var isFinished: Bool { has(.isFinished) }
}
