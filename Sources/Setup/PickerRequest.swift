// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Manifest
public import Registry

/// A picker that is open at the gateway: what was found for it, what may be chosen, and when it ends.
///
/// Pure: what is heard, what people and the app decide, and the time go in; events for the session that asked come out.
/// Capacity: ``candidatesMax`` candidates; a stronger one takes the place of the weakest, and those without a place are
/// counted while they are heard.
public struct PickerRequest: Sendable {
  /// How the choice is made.
  public enum Choice: Equatable, Sendable {
    /// By a person, or a script in one's stead.
    case person
    /// By holding the accessory at the gateway.
    case touch
    /// The first that the gate lets in.
    case firstImmediate
    /// The one with this address, in the low 48 bits.
    case device(UInt64)
  }

  public enum Phase: Equatable, Sendable {
    /// Nothing was shown yet.
    case discovering
    /// There is, or was, something to choose.
    case choosing
    /// The candidate was chosen and is being set up.
    case settingUp(UInt32)
    /// The accessory is there and waits for its app to confirm; whoever owns the picker ends that.
    case confirming
    case finished
  }

  /// What the session that asked is told, in this order.
  public enum Event: Equatable, Sendable {
    case didPresent
    case discovered(UInt32)
    case setupFailed(SetupFailure)
    case didDismiss
    /// The last: how it ended, nil for well.
    case finished(SetupFailure?)
  }

  /// A filtered picker waits so long for a scan response before it tells of a device.
  public static let responseMilliseconds: Int64 = 300
  /// Touch waits so long at most, and when nobody said how long.
  public static let touchMilliseconds: Int64 = 300_000

  public let id: RandomIdentifier
  public let app: String
  public let itemCount: Int
  public let settings: PickerSettings
  public let choice: Choice
  /// Somebody looks at what is shown, and is given time to choose; what nobody looks at ends in its own time.
  public let isAttended: Bool
  public let candidatesMax: Int
  public let idleMilliseconds: Int64
  public let openedAt: Instant

  public private(set) var phase = Phase.discovering
  public private(set) var candidates: [PickerCandidate] = []
  /// Devices heard that found no place among the candidates.
  public private(set) var hidden: Set<DeviceAddress> = []
  /// Candidates that were lost: who comes again has its number again, and is not told of twice. Capacity: as many as
  /// are remembered as hidden; when it is full, whoever is lost is forgotten.
  private var lost: [DeviceAddress: PickerCandidate] = [:]
  /// Why the last device that was held at the gateway was not set up.
  public var touchRefusal: TouchRefusal?
  /// So many devices a filtered picker has told of.
  public private(set) var discovered = 0
  /// So many accessories are still to be set up.
  public private(set) var remaining: Int
  private var lastNumber: UInt32 = 0
  private var shownSince: Instant?
  /// When it was opened, or something was set up last.
  private var lookingSince: Instant
  private var wasUpdated = false

  public init(
    _ id: RandomIdentifier, app: String, itemCount: Int, settings: PickerSettings, choice: Choice,
    count: Int = 1, isAttended: Bool = true, limits: Limits, at now: Instant
  ) {
    precondition(itemCount > 0 && count > 0, "a picker looks for something")
    self.id = id
    self.app = app
    self.itemCount = itemCount
    self.settings = settings
    self.choice = choice
    self.isAttended = isAttended && choice == .person
    candidatesMax = Int(limits.candidates)
    idleMilliseconds = Int64(limits.pickerIdleSeconds) * 1000
    remaining = count
    openedAt = now
    lookingSince = now
  }

  public var isFiltered: Bool { settings.options.contains(.filterDiscoveryResults) }
  public var isFinished: Bool { phase == .finished }

  public func candidate(_ number: UInt32) -> PickerCandidate? { candidates.first { $0.number == number } }
}

// MARK: - What is heard

extension PickerRequest {
  /// A device that matches was heard, for the first time or again. Those of the app already are not reported.
  public mutating func hear(_ report: CandidateReport, at now: Instant) -> [Event] {
    guard phase != .finished else { return [] }
    precondition(report.item < itemCount, "a candidate matches an item of the picker")
    if let index = candidates.firstIndex(where: { $0.device == report.device }) {
      candidates[index].level = report.level
      candidates[index].isInside = report.isInside
      candidates[index].hasResponded = candidates[index].hasResponded || report.hasResponded
    } else if !admit(report, at: now) {
      return []
    }
    return advance(to: now)
  }

  /// Whether the device found a place.
  private mutating func admit(_ report: CandidateReport, at now: Instant) -> Bool {
    if candidates.count == candidatesMax, !makeRoom(for: report) {
      // As many as the strongest could ever be shown beside; beyond that the number says enough.
      if hidden.count < rememberedMax { hidden.insert(report.device) }
      return false
    }
    hidden.remove(report.device)
    if var candidate = lost.removeValue(forKey: report.device), candidate.item == report.item {
      candidate.level = report.level
      candidate.isInside = report.isInside
      candidates.append(candidate)
      return true
    }
    lastNumber += 1
    candidates.append(
      PickerCandidate(
        number: lastNumber, device: report.device, item: report.item, firstSeen: now, level: report.level,
        isInside: report.isInside, hasResponded: report.hasResponded))
    return true
  }

  /// The weakest gives way to a stronger one, unless it is being set up or the app shows it.
  private mutating func makeRoom(for report: CandidateReport) -> Bool {
    let free = candidates.indices.filter { index in
      !(isFiltered && candidates[index].isShown) && phase != .settingUp(candidates[index].number)
    }
    let weakest = free.min { (candidates[$0].level ?? .min) < (candidates[$1].level ?? .min) }
    guard let weakest, (candidates[weakest].level ?? .min) < (report.level ?? .min) else { return false }
    hidden.insert(candidates[weakest].device)
    forget(at: weakest)
    return true
  }

  private var rememberedMax: Int { 4 * candidatesMax }

  private mutating func forget(at index: Int) {
    let candidate = candidates.remove(at: index)
    guard isFiltered, candidate.isDiscovered, lost.count < rememberedMax else { return }
    lost[candidate.device] = candidate
  }

  /// A device is heard no more, or does not match any more, or is the app's now.
  public mutating func lose(_ device: DeviceAddress) {
    hidden.remove(device)
    guard let index = candidates.firstIndex(where: { $0.device == device }),
      phase != .settingUp(candidates[index].number)
    else { return }
    forget(at: index)
  }
}

// MARK: - Time

extension PickerRequest {
  /// When ``advance(to:isRadioDown:)`` is due.
  public var deadline: Instant? {
    let waiting = candidates.filter { isFiltered && !$0.isDiscovered && $0.isInside }
    let response = waiting.map { $0.firstSeen.advanced(milliseconds: Self.responseMilliseconds) }.min()
    return [end, response].compactMap { $0 }.min()
  }

  /// When it ends by itself, as things are; nil when nothing ends it, or a setup is going on.
  public var end: Instant? {
    switch phase {
    case .discovering: discoveryEnd
    case .choosing:
      isAttended ? shownSince.map { $0.advanced(milliseconds: idleMilliseconds) } : discoveryEnd
    case .settingUp, .confirming, .finished: nil
    }
  }

  private var discoveryEnd: Instant? {
    let isTouch = choice == .touch
    switch isTouch ? settings.wantedTimeout ?? .unbounded : settings.discoveryTimeout {
    case .seconds(let seconds):
      let wanted = Int64(seconds) * 1000
      guard isTouch else { return lookingSince.advanced(milliseconds: wanted) }
      return openedAt.advanced(milliseconds: min(wanted, Self.touchMilliseconds))
    case .unbounded: return isTouch ? openedAt.advanced(milliseconds: Self.touchMilliseconds) : nil
    }
  }

  /// Lets time pass: shows and tells of what is due, and ends when it is over.
  public mutating func advance(to now: Instant, isRadioDown: Bool = false) -> [Event] {
    guard phase != .finished else { return [] }
    var events: [Event] = []
    for index in candidates.indices { discover(index, at: now, &events) }
    if let end, end <= now { events += expire(isRadioDown: isRadioDown) }
    return events
  }

  private mutating func discover(_ index: Int, at now: Instant, _ events: inout [Event]) {
    guard candidates[index].isInside else { return }
    guard isFiltered else { return show(index, at: now) }
    let waited = now.milliseconds(since: candidates[index].firstSeen)
    guard !candidates[index].isDiscovered,
      candidates[index].hasResponded || waited >= Self.responseMilliseconds
    else { return }
    candidates[index].isDiscovered = true
    discovered += 1
    events.append(.discovered(candidates[index].number))
  }

  private mutating func show(_ index: Int, at now: Instant) {
    candidates[index].isShown = true
    // A touch shows nothing to choose from.
    guard choice != .touch else { return }
    if shownSince == nil { shownSince = now }
    if phase == .discovering { enter(.choosing) }
  }

  private mutating func expire(isRadioDown: Bool) -> [Event] {
    switch phase {
    case .settingUp, .confirming, .finished: preconditionFailure("nothing ends by itself in this phase")
    case .choosing where isAttended: return fail(.nobodyChose(inMilliseconds: idleMilliseconds))
    case .discovering, .choosing: return fail(isRadioDown ? .radioDown : nothingCame)
    }
  }

  /// The only place where the phase changes.
  private mutating func enter(_ new: Phase) { phase = new }
}

// MARK: - What is decided

extension PickerRequest {
  /// What a picker begins with.
  public mutating func present() -> [Event] { [.didPresent] }

  /// The app of a filtered picker shows exactly these; false when one of them is unknown.
  public mutating func update(
    showing items: [(number: UInt32, name: String?, image: String?)], at now: Instant
  ) -> Bool {
    precondition(isFiltered && phase != .finished, "only an open, filtered picker is updated")
    guard items.allSatisfy({ wasDiscovered($0.number) }) else { return false }
    wasUpdated = true
    for index in candidates.indices { candidates[index].show(as: items) }
    for device in lost.keys { lost[device]?.show(as: items) }
    guard !items.isEmpty else { return true }
    if shownSince == nil { shownSince = now }
    if phase == .discovering { enter(.choosing) }
    return true
  }

  /// Whether the app was told of that one; it may have been lost since.
  private func wasDiscovered(_ number: UInt32) -> Bool {
    candidate(number)?.isDiscovered ?? lost.values.contains { $0.number == number }
  }

  /// No more devices are to be waited for.
  public mutating func finishDiscovery() -> [Event] {
    guard phase == .discovering, !wasUpdated else { return [] }
    return fail(.nothingFound)
  }

  /// A candidate is chosen. Nil when it cannot be: it is not shown, or another was chosen.
  public mutating func choose(_ number: UInt32) -> PickerCandidate? {
    guard phase == .choosing || phase == .discovering, let candidate = candidate(number), candidate.isShown
    else { return nil }
    enter(.settingUp(number))
    return candidate
  }

  /// The chosen candidate is an accessory now, or awaits its app's word.
  public mutating func setupSucceeded(awaitsConfirmation: Bool, at now: Instant) -> [Event] {
    guard case .settingUp(let number) = phase else { preconditionFailure("nothing is being set up") }
    candidates.removeAll { $0.number == number }
    guard !awaitsConfirmation else {
      enter(.confirming)
      return []
    }
    return goOn(at: now)
  }

  /// The app took the accessory.
  public mutating func confirmed(at now: Instant) -> [Event] {
    precondition(phase == .confirming, "nothing awaits its app")
    return goOn(at: now)
  }

  private mutating func goOn(at now: Instant) -> [Event] {
    remaining -= 1
    lookingSince = now
    guard remaining == 0 else {
      guard choice != .touch else {
        enter(.discovering)
        return []
      }
      shownSince = now
      enter(.choosing)
      return []
    }
    enter(.finished)
    return [.didDismiss, .finished(nil)]
  }

  /// The setup came to nothing; whatever had been added was taken back.
  public mutating func failSetup(_ failure: SetupFailure) -> [Event] {
    enter(.finished)
    return [.setupFailed(failure), .didDismiss, .finished(failure)]
  }

  /// It ends without an accessory: cancelled, denied, timed out, or its session is gone.
  public mutating func fail(_ failure: SetupFailure) -> [Event] {
    guard phase != .finished else { return [] }
    enter(.finished)
    return [.didDismiss, .finished(failure)]
  }
}
