// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
public import Discovery
public import HCI

/// Why one identity of an item does or does not match a device, and where the device stands with its gate.
public struct ItemExplanation: Sendable {
  public let address: DeviceAddress
  public let app: String
  public let item: String
  /// Whether it is the item's second identity that was asked.
  public let isAlternate: Bool
  /// Empty for items that look only for networks.
  public let clauses: [ClauseAnswer]
  /// The advertising set that was asked: 0 is the one heard last of `setCount`.
  public let setPosition: Int
  public let setCount: Int
  /// The device and the item as the tables have them; nil when the item does not match.
  public let match: Match?
  public let gate: GateSettings
  public let reading: GateReading
  public let pathLoss: Int16?
  /// When it was asked.
  public let now: Instant
  /// Readings in the filter, and the interval between samples that was learned from them.
  public let readingCount: UInt16
  public let reportCount: UInt64
  public let learnedMilliseconds: UInt32?
  public let lastSeen: Instant
  /// A device that was silent for so long is lost, whatever it advertised.
  public let lostMilliseconds: Int64

  /// Whether every clause holds.
  public var holds: Bool { !clauses.isEmpty && clauses.allSatisfy(\.holds) }
  public var isFound: Bool { holds && (match?.isFound ?? false) }

  /// The first clause that does not hold.
  public var failure: ClauseAnswer? { clauses.first { !$0.holds } }

  public var silenceMilliseconds: Int64 { now.milliseconds(since: lastSeen) }
}

extension CaptureReplay {
  /// What each item says about a device, in the manifest's order.
  public func explanations(of view: DeviceView) -> [ItemExplanation] {
    dataPath.items.indices.flatMap { explanations(of: view, item: $0) }
  }

  /// What one item says about a device: its descriptor, and its second identity if it has one.
  public func explanations(of view: DeviceView, item index: Int) -> [ItemExplanation] {
    let item = dataPath.items[index].item
    var explanations = [explanation(of: view, item: index, item.descriptor, isAlternate: false)]
    if let alternate = item.alternate {
      explanations.append(explanation(of: view, item: index, alternate, isAlternate: true))
    }
    return explanations
  }

  private func explanation(
    of view: DeviceView, item index: Int, _ descriptor: DiscoveryDescriptor, isAlternate: Bool
  ) -> ItemExplanation {
    let item = dataPath.items[index]
    let signal = view.device.signal
    let gate = dataPath.pipeline.gate(ofItem: index)
    let (setPosition, clauses) = view.answers(descriptor)
    return ItemExplanation(
      address: view.address, app: item.app, item: item.item.id, isAlternate: isAlternate,
      clauses: clauses, setPosition: setPosition, setCount: view.payloads.count,
      match: view.matches.first { $0.item == index }?.match, gate: gate,
      reading: dataPath.pipeline.gateReading(at: view.row, item: index),
      pathLoss: dataPath.pipeline.pathLoss(at: view.row, item: index),
      now: Instant(microseconds: view.now.microseconds), readingCount: signal.readingCount,
      reportCount: UInt64(view.device.reportCount),
      learnedMilliseconds: signal.learnedMilliseconds, lastSeen: view.device.lastSeen,
      lostMilliseconds: signal.patience(
        floor: gate.lostMilliseconds, factor: 3, ceiling: gate.lostMillisecondsMax))
  }
}

extension DeviceView {
  /// The answers of the advertising set on which most clauses hold, of equals the one heard last.
  fileprivate func answers(_ descriptor: DiscoveryDescriptor) -> (setPosition: Int, clauses: [ClauseAnswer]) {
    let all = payloads.map { payload in
      ClauseQuestion.answers(
        descriptor,
        ObservedStructure.all(in: payload.data.span.octets, .data)
          + ObservedStructure.all(in: payload.response.span.octets, .response))
    }
    let holding = all.map { $0.count(where: \.holds) }
    let position = holding.firstIndex(of: holding.max() ?? 0) ?? 0
    return (position, all.isEmpty ? [] : all[position])
  }
}
