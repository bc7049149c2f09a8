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

  private let sets: [SuggestionSource]
  private let kin: [SuggestionSource]
  /// Those that may be of the kind, or not.
  private let likely: [SuggestionSource]
  private let others: [SuggestionSource]
  private let kinAddresses: Set<DeviceAddress>
  private let probableAddresses: Set<DeviceAddress>
  /// The best item and the set that it was taken from; nil when nothing lasts.
  private(set) var best: (candidate: SuggestionCandidate, source: SuggestionSource)?
  /// Whether ``best`` asks for a company identifier that may be a reading.
  private(set) var isDoubtful = false

  /// How many other devices are of another kind.
  var unrelatedCount: Int { otherCount - kinAddresses.count }
  var otherCount: Int { Set(others.map(\.address)).count }

  init(_ sets: [SuggestionSource], others: [SuggestionSource]) {
    self.sets = sets
    self.others = others
    let kind = DeviceKind(sets.map { LastingFields($0) })
    let likeness = others.map(kind.likeness)
    kin = zip(others, likeness).compactMap { $1.rawValue >= DeviceKind.Likeness.probable.rawValue ? $0 : nil }
    probableAddresses = Set(zip(others, likeness).compactMap { $1 == .probable ? $0.address : nil })
    likely = zip(others, likeness).compactMap { $1 == .possible ? $0 : nil }
    kinAddresses = Set(kin.map(\.address))
    best = best(doubtful: false)
    if best == nil {
      best = best(doubtful: true)
      isDoubtful = best != nil
    }
  }

  func found(by candidate: SuggestionCandidate) -> Found {
    var result = Found()
    var seen: Set<DeviceAddress> = []
    for source in others where !seen.contains(source.address) && source.mayMeet(candidate.descriptor) {
      guard candidate.descriptor.isMet(by: source) else { continue }
      seen.insert(source.address)
      if kinAddresses.contains(source.address) {
        result.kin.append(source)
        if probableAddresses.contains(source.address) { result.probableKin.append(source) }
      } else {
        result.unrelated.append(source)
      }
    }
    for source in kin where seen.insert(source.address).inserted { result.missedKin.append(source) }
    for source in likely where seen.insert(source.address).inserted { result.missedLikely.append(source) }
    return result
  }

  private func best(doubtful: Bool) -> (candidate: SuggestionCandidate, source: SuggestionSource)? {
    let fields = sets.map { LastingFields($0, doubtful: doubtful).named(like: kin) }
    for fields in fields {
      if let candidate = known(fields) { return (candidate, fields.source) }
    }
    let layout = UnknownLayout(others: others, kin: kin)
    let keyed = best(of: fields, layout.candidates(for:))
    let missed = keyed.map { found(by: $0.candidate).missedKin.count }
    if missed == 0 { return keyed }
    // A name alone finds a unit that has another key.
    guard let named = best(of: fields, layout.namedCandidates(for:)),
      found(by: named.candidate).missedKin.count < missed ?? .max
    else { return keyed }
    return named
  }

  private func best(
    of fields: [LastingFields], _ layout: (LastingFields) -> [SuggestionCandidate]
  ) -> (candidate: SuggestionCandidate, source: SuggestionSource)? {
    let candidates = fields.flatMap { fields in
      layout(fields).map { (candidate: $0, source: fields.source) }
    }
    let costs = candidates.map { cost($0.candidate, $0.source) }
    return costs.indices.min { costs[$0] < costs[$1] }.map { candidates[$0] }
  }

  /// The item for the first layout, without a name that another unit does not have; for one that is seen only with a
  /// scan response, another that does without, if that finds no unrelated device.
  private func known(_ fields: LastingFields) -> SuggestionCandidate? {
    var candidates = KnownLayout.candidates(for: fields)
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

extension SuggestionCandidate {
  /// Whether what it asks for stands in the scan response, and the agent does not ask for that because of it, with
  /// `scan = "auto"`.
  func needsMoreThanAuto(_ source: SuggestionSource) -> Bool {
    let asksForResponse =
      descriptor.nameSubstring != nil || (descriptor.serviceUUID != nil && descriptor.serviceData == nil)
    return !asksForResponse && needsScanResponse(of: source)
  }
}
