// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Interfaces
import JSON
public import Manifest

/// An item for the manifest that finds a device like one that was heard, today and tomorrow.
///
/// For a device of a ``KnownLayout`` it asks for the type of the frame and the model. For any other device it asks for
/// the shortest clause that tells the device from everything else in sight. All clauses come from one advertising set,
/// because they must hold in one.
public struct Suggestion: Equatable, Sendable {
  /// Fewer may not show which bytes change.
  public static let reportsEnough = 20
  /// Characters of an item's name; its id, which is made of it, has room for 64.
  private static let nameLengthMax = 40
  /// Other devices that a warning names; the rest is counted.
  private static let namedMax = 8

  public let address: DeviceAddress
  public let reportCount: Int
  public let descriptor: DiscoveryDescriptor
  /// The name that operators see.
  public let itemName: String
  /// What the item asks for, in sentences.
  public let notes: [String]
  /// What the operator should know before the item is used, in sentences.
  public let warnings: [String]

  /// An item for each device of an address, which differ in its type. `others` are the devices that it should not find.
  public static func all(of sources: [SuggestionSource], others: [SuggestionSource]) -> [Suggestion] {
    let types = Set(sources.map(\.address.type.rawValue)).sorted()
    return types.compactMap { type in
      Suggestion(sets: sources.filter { $0.address.type.rawValue == type }, others: others)
    }
  }

  /// The best item of all the device's advertising sets. Nil when none names a company or a service, or has a name that
  /// other devices of its kind share: no item could find it.
  public init?(sets: [SuggestionSource], others: [SuggestionSource]) {
    guard let first = sets.first, let (candidate, source) = Self.best(of: sets, others: others) else {
      return nil
    }
    address = first.address
    reportCount = sets.reduce(0) { $0 + $1.reportCount }
    descriptor = candidate.descriptor
    itemName = Self.name(of: first.address, sets.compactMap(\.name).first?.text, layout: candidate.layout)
    let found = candidate.found(among: others)
    notes = Self.notes(candidate, source, sets: sets, others: others)
    warnings = Self.warnings(candidate, source, reportCount: reportCount, found: found)
  }

  private static func best(
    of sets: [SuggestionSource], others: [SuggestionSource]
  ) -> (SuggestionCandidate, SuggestionSource)? {
    for source in sets {
      if let candidate = KnownLayout.candidate(source) { return (candidate, source) }
    }
    var best: (candidate: SuggestionCandidate, source: SuggestionSource, cost: (Int, Int))?
    // A set with a key comes before one with only a name.
    let keyed = sets.filter { !$0.companies.isEmpty || !$0.serviceData.isEmpty || !$0.services.isEmpty }
    for source in keyed.isEmpty ? sets : keyed {
      for candidate in UnknownLayout(others: others).candidates(for: source) {
        let cost = (candidate.found(among: others).count, candidate.askedBitCount)
        if best.map({ cost < $0.cost }) ?? true { best = (candidate, source, cost) }
      }
    }
    return best.map { ($0.candidate, $0.source) }
  }

  private static func name(of address: DeviceAddress, _ heard: AirText?, layout: String?) -> String {
    let isNameable = heard.map { $0.isWellFormed && $0.bytes.contains(where: \.isLetterOrDigit) } ?? false
    if isNameable, let heard { return String(heard.repaired.prefix(nameLengthMax)) }
    return layout ?? "Device \(address.text ?? "without address")"
  }

  private static func notes(
    _ candidate: SuggestionCandidate, _ source: SuggestionSource, sets: [SuggestionSource],
    others: [SuggestionSource]
  ) -> [String] {
    var notes: [String] = []
    if let layout = candidate.layout { notes.append("Its layout is \(layout).") }
    notes += candidate.notes
    if candidate.layout == nil {
      let count = Set(others.map(\.address)).count
      let told = count - candidate.found(among: others).count
      let finding =
        switch (told, count) {
        case (_, 0): "No other device is in sight to tell it from."
        case (0, 1): "The other device in sight sends nothing that tells the two apart."
        case (0, _): "None of the \(count) other devices in sight sends anything that tells it apart."
        case (1, 1): "The item asks for the least that tells it from the other device in sight."
        case (count, _): "The item asks for the least that tells it from the \(count) other devices in sight."
        default:
          "The item asks for the least that tells it from \(told) of the \(count) other devices in sight."
        }
      notes.append("Its layout is not known. " + finding)
    }
    if sets.count > 1 {
      let set = source.advertisingSID.map { "set \($0)" } ?? "legacy advertising"
      notes.append("It has several advertising sets; this is its \(set).")
    }
    return notes
  }

  private static func warnings(
    _ candidate: SuggestionCandidate, _ source: SuggestionSource, reportCount: Int, found: [SuggestionSource]
  ) -> [String] {
    var warnings: [String] = []
    if reportCount < reportsEnough {
      warnings.append(
        "\(reportCount) \(reportCount == 1 ? "report is" : "reports are") too few to see which bytes change; take "
          + "\(reportsEnough) or more.")
    }
    if source.address.lifetime != .durable {
      warnings.append(
        "The device changes its address every few minutes: an accessory of this item is lost when it does, unless the "
          + "gateway has its identity key.")
    }
    if !candidate.descriptor.asksForScanResponse, source.needsScanResponse(for: candidate.descriptor) {
      warnings.append(
        "What the item asks for stands in the scan response: set scan = \"active\" in [gateway], or it is not found."
      )
    }
    guard !found.isEmpty else { return warnings }
    let named = found.prefix(namedMax).map(\.shownName).joined(separator: ", ")
    let rest = found.count > namedMax ? " and \(found.count - namedMax) more" : ""
    warnings.append(
      "The item also finds \(found.count) other \(found.count == 1 ? "device" : "devices") in sight: \(named)\(rest)."
    )
    return warnings
  }
}

extension SuggestionCandidate {
  /// The other devices that the item finds, each once.
  fileprivate func found(among others: [SuggestionSource]) -> [SuggestionSource] {
    var seen: Set<DeviceAddress> = []
    return others.filter { source in
      guard source.hasKey(of: descriptor), !seen.contains(source.address), descriptor.isMet(by: source) else {
        return false
      }
      return seen.insert(source.address).inserted
    }
  }
}

extension SuggestionSource {
  /// Whether a descriptor may hold at all: looked at before its clauses are, for most devices have other keys.
  fileprivate func hasKey(of descriptor: DiscoveryDescriptor) -> Bool {
    if let company = descriptor.companyIdentifier { return data(of: company) != nil }
    guard let service = descriptor.serviceUUID else { return name != nil }
    return data(of: service) != nil || services.contains(service)
  }

  /// Whether the descriptor holds only together with a scan response.
  fileprivate func needsScanResponse(for descriptor: DiscoveryDescriptor) -> Bool {
    !views.contains { descriptor.holds(in: View(data: $0.data), of: address) }
  }

  fileprivate var shownName: String {
    let address = address.text ?? "(anonymous)"
    guard let name = name?.text else { return address }
    return "\(address) \(name.terminal(columnsMax: 24))"
  }
}

extension DiscoveryDescriptor {
  /// Whether the agent asks for scan responses because of it, with `scan = "auto"`.
  fileprivate var asksForScanResponse: Bool {
    nameSubstring != nil || (serviceUUID != nil && serviceData == nil)
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
  }
}
