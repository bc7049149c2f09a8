// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI
public import Interfaces
public import Manifest

/// Why one identity of an item does or does not match a device, and where the device stands with its gate: a line of
/// `explain --json` (`Config/schema/explain.schema.json`), and an explanation of `io.accessoryd.Gateway`.
public struct ItemExplanation: Equatable, Line {
  public let address: DeviceAddress
  public let app: String
  public let item: String
  /// Whether it is the item's second identity that was asked.
  public let isAlternate: Bool
  /// Empty for items that look only for networks.
  public private(set) var clauses: [ClauseAnswer]
  /// The advertising set, or the frame, that was asked: 0 is the one heard last of `setCount`.
  public let setPosition: Int
  public let setCount: Int
  /// Whether every frame that was received was asked, not only the latest of each advertising set.
  public let isOfFrames: Bool
  /// Where the item stands with the device; nil when a clause does not hold, or the tables do not have the match.
  public let presence: Presence?
  public let gate: GateAnswer
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

  /// Keeps at most `countMax` comparisons, one or more, in each clause.
  public func limited(toComparisons countMax: Int) -> Self {
    var limited = self
    limited.clauses = clauses.map { $0.limited(toComparisons: countMax) }
    return limited
  }
}

extension ManifestDataPath {
  /// What each item says about a device, in the manifest's order.
  public func explanations(of view: DeviceView) -> [ItemExplanation] {
    items.indices.flatMap { explanations(of: view, item: $0) }
  }

  /// What one item says about a device, which it lost so often while the device sent other frames.
  public func explanations(
    of view: DeviceView, item index: Int, lossesToOtherFrames: Int
  ) -> [ItemExplanation] {
    explanations(of: view, item: index).map { explanation in
      var explanation = explanation
      explanation.lossesToOtherFrames = lossesToOtherFrames
      return explanation
    }
  }

  /// How often each item lost a device while it sent other frames, by the item's index; as far as the events go back.
  public func lossesToOtherFrames(of address: DeviceAddress) -> [Int32: Int] {
    var losses: [Int32: Int] = [:]
    var cursor = EventCursor(epoch: pipeline.events.epoch, sequence: pipeline.events.oldest)
    while case .event(_, let sighting, _) = pipeline.events.read(&cursor) {
      guard sighting.address == address, sighting.event == .lost, sighting.reason == .noLongerMatches else {
        continue
      }
      losses[sighting.item, default: 0] += 1
    }
    return losses
  }

  /// What one item says about a device: its descriptor, and its second identity if it has one.
  public func explanations(of view: DeviceView, item index: Int) -> [ItemExplanation] {
    let item = items[index].item
    var explanations = [explanation(of: view, item: index, item.descriptor, isAlternate: false)]
    if let alternate = item.alternate {
      explanations.append(explanation(of: view, item: index, alternate, isAlternate: true))
    }
    return explanations
  }

  private func explanation(
    of view: DeviceView, item index: Int, _ descriptor: DiscoveryDescriptor, isAlternate: Bool
  ) -> ItemExplanation {
    let match = view.matches.first { $0.item == index }?.match
    let (setPosition, clauses, otherFrames) = view.answers(descriptor)
    let holds = !clauses.isEmpty && clauses.allSatisfy(\.holds)
    let presence = holds ? match.map { $0.presence } : nil
    return ItemExplanation(
      address: view.address, app: items[index].app, item: items[index].item.id, isAlternate: isAlternate,
      clauses: clauses, setPosition: setPosition, setCount: view.payloads.count,
      isOfFrames: view.hasEveryFrame, presence: presence, gate: GateAnswer(self, view, item: index, match),
      otherFrames: view.hasEveryFrame ? otherFrames : [])
  }
}

extension DeviceView {
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
    let key = gate.immediate == nil ? GateKey.lost : .silence
    return
      "\(verdict); lost \(times) while it sent other frames: raise gate.\(key.rawValue) if the one that matches comes "
      + "more seldom"
  }

  private var verdict: String {
    if clauses.isEmpty { return "looks only for networks" }
    if let found = history?.sentence(gate.immediate == nil ? "found" : "let in") { return found }
    if isSplit { return splitSentence }
    if let failure { return failure.shortReason }
    if presence?.isFound != true, gate.isTooSlow, let learned = gate.learnedMilliseconds {
      return "matches, but can never enter: it sends every \(learned) ms; \(gate.cureOfSlowness)"
    }
    if presence?.isFound != true, let burst = gate.shortBurst {
      return
        "matches, and was strong enough, but only for about \(burst.milliseconds) ms at a time; \(burst.cure) if its "
        + "bursts are no longer"
    }
    if history != nil, gate.immediate != nil, presence != .approaching {
      return "matches, but was never at the gateway"
    }
    guard let presence else {
      return gate.silenceMilliseconds >= gate.lostMilliseconds
        ? "matched; silent \(gate.silenceMilliseconds) ms, lost after \(gate.lostMilliseconds) ms"
        : "matches, but was turned away because a table is full"
    }
    switch presence {
    case .inside: return gate.immediate == nil ? "found" : "found, at the gateway"
    case .leaving: return "found, leaving"
    case .approaching: return "matches, and is strong enough, but not yet for long enough"
    case .outside: return gate.immediate == nil ? "matches, not found" : "matches, but is not at the gateway"
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
