// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import Manifest

/// The device that an item is written for, among the other devices in sight: units of its kind, which the item has to
/// find, and unrelated ones, which it should not find.
struct SuggestionSearch {
  /// What a candidate finds beside the device, each address once.
  struct Found {
    var kin: [SuggestionSource] = []
    /// Those of the kin that have another company, and may be another maker's.
    var probableKin: [SuggestionSource] = []
    var missedKin: [SuggestionSource] = []
    /// Those that it misses and that may be of the same kind.
    var missedLikely: [SuggestionSource] = []
    var unrelated: [SuggestionSource] = []
  }

  /// Other devices that are units of the kind.
  private struct Kin {
    let all: [SuggestionSource]
    let addresses: Set<DeviceAddress>
    let probableAddresses: Set<DeviceAddress>
    /// Those that may be of the kind, or not.
    let likely: [SuggestionSource]

    init(of kind: DeviceKind, among others: [SuggestionSource]) {
      let likeness = others.map(kind.likeness)
      all = zip(others, likeness).compactMap {
        $1.rawValue >= DeviceKind.Likeness.probable.rawValue ? $0 : nil
      }
      probableAddresses = Set(zip(others, likeness).compactMap { $1 == .probable ? $0.address : nil })
      likely = zip(others, likeness).compactMap { $1 == .possible ? $0 : nil }
      addresses = Set(all.map(\.address))
    }
  }

  private let sets: [SuggestionSource]
  private let others: [SuggestionSource]
  private var kin: Kin
  /// The best item and the set that it was taken from; nil when nothing lasts.
  private(set) var best: (candidate: SuggestionCandidate, source: SuggestionSource)?
  /// Whether ``best`` asks for a company identifier or a service that may be a reading.
  private(set) var isDoubtful = false

  /// How many other devices are of another kind.
  var unrelatedCount: Int { otherCount - kin.addresses.count }
  var otherCount: Int { Set(others.map(\.address)).count }

  init(_ sets: [SuggestionSource], others: [SuggestionSource]) {
    self.sets = sets
    self.others = others
    kin = Kin(of: DeviceKind(sets.map { LastingFields($0) }), among: others)
    for trust in LastingFields.Trust.allCases where best == nil {
      let fields = sets.map { LastingFields($0, trust) }
      kin = Kin(of: DeviceKind(fields), among: others)
      best = best(of: fields)
      isDoubtful = trust == .turns && best?.candidate.descriptor.hasKey ?? false
    }
  }

  func found(by candidate: SuggestionCandidate) -> Found {
    var result = Found()
    var seen: Set<DeviceAddress> = []
    for source in others where !seen.contains(source.address) && source.mayMeet(candidate.descriptor) {
      guard candidate.descriptor.isMet(by: source) else { continue }
      seen.insert(source.address)
      if kin.addresses.contains(source.address) {
        result.kin.append(source)
        if kin.probableAddresses.contains(source.address) { result.probableKin.append(source) }
      } else {
        result.unrelated.append(source)
      }
    }
    for source in kin.all where seen.insert(source.address).inserted { result.missedKin.append(source) }
    for source in kin.likely where seen.insert(source.address).inserted { result.missedLikely.append(source) }
    return result
  }

  private func best(of fields: [LastingFields]) -> (candidate: SuggestionCandidate, source: SuggestionSource)?
  {
    let fields = fields.map { $0.named(like: kin.all) }
    for fields in fields {
      if let candidate = known(fields) { return (candidate, fields.source) }
    }
    let layout = UnknownLayout(others: others, kin: kin.all)
    guard let keyed = best(of: fields, layout.candidates(for:)) else {
      return best(of: fields) { layout.namedCandidates(for: $0, .otherKeys) }
    }
    let foundByKey = found(by: keyed.candidate)
    let missed = foundByKey.missedKin.count
    let isSeldom = pace(of: keyed.candidate).isSeldom
    let needsResponse = keyed.candidate.needsScanResponse(of: keyed.source)
    guard missed > 0 || isSeldom || needsResponse else { return keyed }
    // A name alone finds a unit that has another key, a device whose key may not come again, and one that has its key in the
    // scan response alone.
    let reason: UnknownLayout.NameReason = missed > 0 ? .otherKeys : isSeldom ? .seldomKey : .keyInResponse
    let named = best(of: fields) { layout.namedCandidates(for: $0, reason) }
    guard let named else { return keyed }
    let foundByName = found(by: named.candidate)
    let missedByName = foundByName.missedKin.count
    let isOftener = isSeldom && pace(of: named.candidate).rarity == 0
    let isHeardAlone =
      needsResponse && !named.candidate.needsScanResponse(of: named.source)
      && (keyed.candidate.needsMoreThanAuto(keyed.source)
        || foundByName.unrelated.count <= foundByKey.unrelated.count)
    return missedByName < missed || (missedByName == missed && (isOftener || isHeardAlone)) ? named : keyed
  }

  private func best(
    of fields: [LastingFields], _ layout: (LastingFields) -> [SuggestionCandidate]
  ) -> (candidate: SuggestionCandidate, source: SuggestionSource)? {
    let candidates = fields.flatMap { fields in
      layout(fields).map { (candidate: $0, source: fields.source) }
    }
    let costs = candidates.map { cost($0.candidate, $0.source) }
    let order = costs.indices.sorted { costs[$0] == costs[$1] ? $0 < $1 : costs[$0] < costs[$1] }
    guard let first = order.first else { return nil }
    // Frames that come often are preferred among those that find as many units.
    var best = (index: first, rarity: Int.max)
    for index in order where costs[index].0 == costs[first].0 && best.rarity > 0 {
      let rarity = pace(of: candidates[index].candidate).rarity
      if rarity < best.rarity { best = (index, rarity) }
    }
    return candidates[best.index]
  }

  /// How seldom the device has what a candidate asks for.
  func pace(of candidate: SuggestionCandidate) -> FramePace { FramePace(of: candidate.descriptor, in: sets) }

  /// The item for the first layout, without a name that another unit does not have; for one that is seen only with a
  /// scan response, another that does without, if that finds no unrelated device.
  private func known(_ fields: LastingFields) -> SuggestionCandidate? {
    var candidates = KnownLayout.candidates(for: fields).filter { !isAccidental($0) }
    if let first = candidates.first, first.descriptor.nameSubstring != nil,
      !found(by: first).missedKin.isEmpty,
      candidates.dropFirst().contains(where: { $0.layout == first.layout })
    {
      candidates.removeFirst()
    }
    guard let first = candidates.first, first.needsScanResponse(of: fields.source) else {
      return candidates.first
    }
    return candidates.first { candidate in
      !candidate.needsScanResponse(of: fields.source) && found(by: candidate).unrelated.isEmpty
    } ?? first
  }

  /// Whether a unit of the kind shows that the device only seems to have the layout: it sends the same service, but no
  /// data of the layout.
  private func isAccidental(_ candidate: SuggestionCandidate) -> Bool {
    guard candidate.needsUnits else { return false }
    return found(by: candidate).missedKin.contains { unit in
      !kin.probableAddresses.contains(unit.address)
        && !KnownLayout.candidates(for: LastingFields(unit)).contains {
          $0.layout == candidate.layout && !$0.isUndocumented
        }
    }
  }

  /// Kin that it misses; whether the agent never hears it by itself; unrelated devices that it finds; whether it needs scan
  /// responses; its doubts; what it asks for.
  private func cost(
    _ candidate: SuggestionCandidate, _ source: SuggestionSource
  ) -> (Int, Int, Int, Int, Int, Int) {
    let found = found(by: candidate)
    let needsResponse = candidate.needsScanResponse(of: source)
    return (
      found.missedKin.count, candidate.needsMoreThanAuto(source) ? 1 : 0, found.unrelated.count,
      needsResponse ? 1 : 0, candidate.doubts, candidate.askedBitCount
    )
  }
}

extension DiscoveryDescriptor {
  fileprivate var hasKey: Bool { companyIdentifier != nil || serviceUUID != nil }

  /// How many characters an item asks for that asks for nothing but the beginning of a short name.
  var shortNameCount: Int? {
    guard let name = nameSubstring, !hasKey, name.count < NameBeginning.bytesMin else { return nil }
    return String(decoding: name, as: UTF8.self).unicodeScalars.count
  }
}

extension SuggestionCandidate {
  /// Whether what it asks for stands in the scan response, and the agent does not ask for that because of it, with
  /// `scan = "auto"`.
  func needsMoreThanAuto(_ source: SuggestionSource) -> Bool {
    let asksForResponse =
      descriptor.nameSubstring != nil || (descriptor.serviceUUID != nil && descriptor.serviceData == nil)
    return !asksForResponse && needsScanResponse(of: source)
  }
}
