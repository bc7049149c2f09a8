// SPDX-License-Identifier: GPL-3.0-or-later

public import DeviceLines
import Discovery
public import HCI
public import Interfaces
public import Manifest

/// Why one identity of an item does or does not match a device, and where the device stands with its gate: a line of
/// `explain --json` (`Config/schema/explain.schema.json`).
public struct ItemExplanation: Equatable, Line {
  public let address: DeviceAddress
  public let app: String
  public let item: String
  /// Whether it is the item's second identity that was asked.
  public let isAlternate: Bool
  /// Empty for items that look only for networks.
  public let clauses: [ClauseAnswer]
  /// The advertising set, or the frame, that was asked: 0 is the one heard last of `setCount`.
  public let setPosition: Int
  public let setCount: Int
  /// Whether every frame that was received was asked, not only the latest of each advertising set.
  public let isOfFrames: Bool
  /// Where the item stands with the device; nil when it has not found it and a clause does not hold, or the tables do not have
  /// the match.
  public let presence: Presence?
  public let gate: GateLine
  /// How often the item found the device in a capture; nil for what is true now.
  public package(set) var history: FoundHistory?
  /// How often the item lost the device while it sent other frames, as far as the events go back.
  public package(set) var lossesToOtherFrames = 0
  /// The numbers of the other frames in which every clause holds; 1 is the one that was received first.
  public internal(set) var otherFrames: [Int] = []

  /// Whether every clause holds.
  public var holds: Bool { !clauses.isEmpty && clauses.allSatisfy(\.holds) }
  /// Whether each clause holds in some frame, and all of them in none.
  public var isSplit: Bool { !clauses.isEmpty && clauses.allSatisfy { $0.frame != nil } }
  /// In a capture: whether the item ever found the device.
  public var isFound: Bool { history.map { $0.count > 0 } ?? presence?.isFound ?? false }
  /// Whether a clause holds and the item has not found the device.
  public var isNear: Bool { !isFound && clauses.contains(where: \.holds) }

  /// How near the item is to finding the device: found, matching, then by how many of its clauses hold.
  public var nearness: Int {
    let held = clauses.isEmpty ? 0 : 100 * clauses.count(where: \.holds) / clauses.count
    return (isFound ? 1000 : 0) + (holds ? 500 : 0) + held
  }

  /// The first clause that does not hold.
  public var failure: ClauseAnswer? { clauses.first { !$0.holds } }
}

/// A device with what it sent, and where items have it: from the tables of a replay, or as the agent tells it.
public struct ObservedDevice: Sendable {
  public let address: DeviceAddress
  public let name: AirText?
  /// Advertising data and scan response of each advertising set, or of each frame; the one heard last first.
  public let payloads: [(data: [UInt8], response: [UInt8])]
  /// Whether ``payloads`` are every different frame that was received, not the latest of each advertising set.
  public let hasEveryFrame: Bool
  private let states: [ItemStateLine]

  /// A device of the agent, with the frames that were received from it, if any were.
  public init(
    _ line: DeviceLine, _ states: [ItemStateLine], frames: [(data: [UInt8], response: [UInt8])]
  ) {
    (address, name, self.states) = (line.address, line.name, states)
    let last = line.payload
    // What the agent keeps may have come earlier: a scan response, for one.
    let isNew = !frames.contains { $0 == last }
    (payloads, hasEveryFrame) = (isNew ? frames + [last] : frames, !frames.isEmpty)
  }

  /// A device of a replay, and where one item has it.
  init(_ dataPath: borrowing ManifestDataPath, _ view: DeviceView, item index: Int) {
    (address, name) = (view.address, view.name?.text)
    (payloads, hasEveryFrame) = (view.payloads, view.hasEveryFrame)
    states = [ItemStateLine(dataPath, view, item: index)]
  }

  /// What an item says: its descriptor, and its second identity if it has one. Nothing when it is not known where the item
  /// has the device.
  public func explanations(of entry: ManifestItem) -> [ItemExplanation] {
    guard let state = states.first(where: { $0.app == entry.app && $0.item == entry.item.id }) else {
      return []
    }
    let identities = [entry.item.descriptor, entry.item.alternate].compactMap(\.self).map(answers)
    let holding = identities.map { !$0.clauses.isEmpty && $0.clauses.allSatisfy(\.holds) }
    // The frame that was found may be gone: of two identities it was likely the first.
    let isFoundEarlier = state.presence?.isFound == true && !holding.contains(true)
    return identities.indices.map { index in
      explanation(
        identities[index], isAlternate: index > 0,
        presence: holding[index] || isFoundEarlier && index == 0 ? state.presence : nil, state)
    }
  }

  private func explanation(
    _ answers: (setPosition: Int, clauses: [ClauseAnswer], otherFrames: [Int]), isAlternate: Bool,
    presence: Presence?, _ state: ItemStateLine
  ) -> ItemExplanation {
    let (setPosition, clauses, otherFrames) = answers
    return ItemExplanation(
      address: address, app: state.app, item: state.item, isAlternate: isAlternate, clauses: clauses,
      setPosition: setPosition, setCount: payloads.count, isOfFrames: hasEveryFrame,
      presence: presence, gate: state.gate,
      lossesToOtherFrames: state.lossesToOtherFrames, otherFrames: hasEveryFrame ? otherFrames : [])
  }
}

extension ManifestDataPath {
  /// What each item says about a device, in the manifest's order.
  public func explanations(of view: DeviceView) -> [ItemExplanation] {
    items.indices.flatMap { explanations(of: view, item: $0) }
  }

  /// What one item says about a device.
  public func explanations(of view: DeviceView, item index: Int) -> [ItemExplanation] {
    ObservedDevice(self, view, item: index).explanations(of: items[index])
  }
}

extension ObservedDevice {
  /// The answers of the frame on which most clauses hold; of equals the one with most of the fields that the clauses
  /// ask for, then the one heard last; and the numbers of the other frames on which all of them hold.
  fileprivate func answers(
    _ descriptor: DiscoveryDescriptor
  ) -> (setPosition: Int, clauses: [ClauseAnswer], otherFrames: [Int]) {
    let all = payloads.map { payload in
      ClauseQuestion.answers(
        descriptor,
        ObservedStructure.all(in: payload.data.span.rawBytes, .data)
          + ObservedStructure.all(in: payload.response.span.rawBytes, .response),
        of: address)
    }
    let nearness = all.map { answers in
      (answers.count(where: \.holds), answers.count { !$0.comparisons.isEmpty })
    }
    let position = nearness.indices.reduce(0) { nearness[$0] < nearness[$1] ? $1 : $0 }
    guard !all.isEmpty else { return (position, [], []) }
    let others = all.indices.reversed().filter { $0 != position && all[$0].allSatisfy(\.holds) }
    return (
      position, Self.withFrames(all[position], at: position, of: all),
      all[position].isEmpty ? [] : others.map { all.count - $0 }
    )
  }

  /// The answers of the frame at `position`. If each clause holds in another frame, with the number of that frame.
  private static func withFrames(
    _ answers: [ClauseAnswer], at position: Int, of all: [[ClauseAnswer]]
  ) -> [ClauseAnswer] {
    let holding = answers.indices.compactMap { clause in
      answers[clause].holds ? position : all.firstIndex { $0[clause].holds }
    }
    guard holding.count == answers.count, !answers.allSatisfy(\.holds) else { return answers }
    return zip(answers, holding).map { answer, position in
      var answer = answer
      answer.frame = all.count - position
      return answer
    }
  }
}

extension ItemExplanation {
  /// The result in a few words, and the key to change where the frame that matches comes too seldom.
  public var why: String {
    guard lossesToOtherFrames > 0 else { return verdict }
    let times = lossesToOtherFrames == 1 ? "once" : "\(lossesToOtherFrames) times"
    let key = !gate.isImmediate ? GateKey.lost : .silence
    return
      "\(verdict); lost \(times) while it sent other frames: raise gate.\(key.rawValue) if the one that matches comes "
      + "more seldom"
  }

  private var verdict: String {
    if clauses.isEmpty { return "looks only for networks" }
    if let found = history?.sentence(!gate.isImmediate ? "found" : "let in") { return found }
    if let failure, presence?.isFound == true {
      return "found by a frame that came earlier; of those that came now, \(failure.shortReason)"
    }
    if isSplit { return splitSentence }
    if let failure { return failure.shortReason }
    if presence?.isFound != true, gate.isTooSlow, let learned = gate.learnedIntervalMilliseconds {
      return
        "matches, but can never enter: it sends every \(DevicePace.duration(UInt32(clamping: learned))); \(gate.cureOfSlowness.advice)"
    }
    if presence?.isFound != true, let burst = gate.shortBurst {
      return
        "matches, and was strong enough, but only for about \(burst.milliseconds) ms at a time; \(burst.cure.advice) "
        + "if its bursts are no longer"
    }
    if history != nil, gate.isImmediate, presence != .approaching {
      return "matches, but was never at the gateway"
    }
    guard let presence else {
      return gate.silenceMilliseconds >= gate.lostMilliseconds
        ? "matched; silent \(gate.silenceMilliseconds) ms, lost after \(gate.lostMilliseconds) ms"
        : "matches, but was turned away: the table of the item's matches is full, with devices about as strong or stronger; "
          + "raise capacity.matches-per-item"
    }
    switch presence {
    case .inside: return !gate.isImmediate ? "found" : "found, at the gateway"
    case .leaving: return "found, leaving"
    case .approaching: return "matches, and is strong enough, but not yet for long enough"
    case .outside: return !gate.isImmediate ? "matches, not found" : "matches, but is not at the gateway"
    }
  }
}

extension ItemExplanation {
  /// "each clause holds, but never all in one frame: service-uuid in frame 2, name-substring in frame 1".
  private var splitSentence: String {
    let noun = isOfFrames ? "frame" : "set"
    let places = clauses.map { "\($0.shortKey) in \(noun) \($0.frame ?? 0)" }
    return "each clause holds, but never all in one \(noun): \(places.joined(separator: ", "))"
  }
}

extension ClauseAnswer {
  fileprivate var shortKey: Substring { key.rawValue.dropFirst("bluetooth-".count) }

  /// Why the clause does not hold, in a few words.
  fileprivate var shortReason: String {
    let name = shortKey
    if key == .addressPrefix { return "\(name): the device has another" }
    guard let best = comparisons.max(by: { $0.agreement < $1.agreement }) else {
      return "\(name): none is advertised"
    }
    guard let masked = best.masked, let difference = masked.firstDifference else {
      return "\(name): another is advertised"
    }
    return difference == masked.found.count
      ? "\(name): too short, \(masked.found.count) of \(masked.wanted.count) bytes"
      : "\(name): byte \(difference) differs"
  }
}

extension ClauseAnswer.Comparison {
  /// How far the payload is right.
  fileprivate var agreement: Int { masked?.firstDifference ?? .max }
}

extension GateLine {
  private static let restartMilliseconds = Int(GateSettings().silenceMillisecondsMax)
  /// The filter stops as far below a level that it rises to.
  private static let reachSixteenths = 3

  public var isImmediate: Bool { range == .immediate }
  public var interval: UInt32? { learnedIntervalMilliseconds.map(UInt32.init(clamping:)) }

  /// Whether the device sends too seldom for the gate ever to let it in.
  public var isTooSlow: Bool {
    guard let samplesMin, let windowMilliseconds else { return false }
    return GateReading.isTooSlow(
      learnedMilliseconds: interval, reports: UInt32(clamping: reports), samplesMin: samplesMin,
      windowMilliseconds: Int64(windowMilliseconds))
  }

  /// What lets a device in that is strong enough and that the gate never lets in as it is; nil where nothing is known.
  public var entryCure: EntryCure? { isTooSlow ? cureOfSlowness : shortBurst?.cure }

  /// What to change for a device that sends too seldom. The filter restarts after ``restartMilliseconds``.
  var cureOfSlowness: EntryCure {
    (learnedIntervalMilliseconds ?? 0) < Self.restartMilliseconds
      ? EntryCure(samplesMin: 1, orLongerWindow: true) : .anySample
  }

  /// How long the device was last heard without a pause and what to change, if it is strong enough and that ends before
  /// the gate can let it in. Nil while it goes on for the first time.
  var shortBurst: (milliseconds: Int, cure: EntryCure)? {
    guard let filteredRSSI, let enterRSSI,
      filteredRSSI.sixteenths + Self.reachSixteenths >= enterRSSI.sixteenths, let interval,
      DevicePace.isBurst(intervalMilliseconds: interval, rhythmMilliseconds: rhythmMilliseconds)
        || silenceMilliseconds > max(1000, 5 * Int(interval))
    else { return nil }
    let milliseconds = max(0, Int(samples) - 1) * Int(interval)
    let cure = EntryCure(
      enterDwellMilliseconds: milliseconds < enterDwellMilliseconds ?? 0 ? milliseconds / 2 : nil,
      samplesMin: samples < samplesMin ?? 0 ? max(1, Int(samples)) : nil)
    return cure.keys.isEmpty ? nil : (milliseconds, cure)
  }
}
