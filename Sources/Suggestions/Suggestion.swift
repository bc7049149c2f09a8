// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Explanation
public import HCI
import Interfaces
import JSON
public import Manifest

/// An item for the manifest that finds a device like one that was heard, today and tomorrow.
///
/// For a device of a ``KnownLayout`` it asks for the type of the frame and the model. For any other device it asks for
/// the shortest clause that tells its kind from everything else in sight. All clauses come from one advertising set,
/// because they must hold in one; and each of them held in every report of its frame.
public struct Suggestion: Equatable, Sendable {
  /// Fewer may not show which bytes change.
  public static let reportsEnough = 20
  /// Characters of an item's name; its id, which is made of it, has search for 64.
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
  /// What the item's `gate.lost-ms` has to be; nil where its default keeps the device.
  public let lostMilliseconds: Int64?

  /// An item for each device of an address, which differ in its type.
  public static func all(_ sources: SuggestionSources) -> [Suggestion] {
    let types = Set(sources.device.map(\.address.type.rawValue)).sorted()
    return types.compactMap { type in
      Suggestion(
        sets: sources.device.filter { $0.address.type.rawValue == type }, others: sources.others,
        pace: sources.pace)
    }
  }

  /// The best item of all the device's advertising sets. Nil when none names a company or a service, or has a name that
  /// other devices of its kind share, or when none of them stays the same: no item could find it. `others` are the devices that
  /// it should not find; `pace` is how the device sends, where the sets do not show it.
  public init?(sets: [SuggestionSource], others: [SuggestionSource], pace: HeardPace? = nil) {
    let search = SuggestionSearch(sets, others: others)
    guard let first = sets.first, let (candidate, source) = search.best else { return nil }
    address = first.address
    reportCount = sets.reduce(0) { $0 + $1.reportCount }
    descriptor = candidate.descriptor
    itemName = Self.name(of: first.address, sets.compactMap(\.name).first?.text, layout: candidate.layout)
    let found = search.found(by: candidate)
    let framePace = search.pace(of: candidate)
    lostMilliseconds = framePace.lostMilliseconds
    notes =
      Self.notes(candidate, source, sets: sets, pace: Self.pace(of: sets) ?? pace, search, found)
      + [Self.note(framePace)].compactMap(\.self)
    warnings =
      [Self.warning(framePace)].compactMap(\.self)
      + Self.warnings(candidate, source, sets: sets, search, found)
  }

  private static func name(of address: DeviceAddress, _ heard: AirText?, layout: String?) -> String {
    let isNameable = heard.map { $0.isWellFormed && $0.bytes.contains(where: \.isLetterOrDigit) } ?? false
    if isNameable, let heard { return String(heard.repaired.prefix(nameLengthMax)) }
    return layout ?? "Device \(address.text ?? "without address")"
  }

  private static func notes(
    _ candidate: SuggestionCandidate, _ source: SuggestionSource, sets: [SuggestionSource], pace: HeardPace?,
    _ search: SuggestionSearch, _ found: SuggestionSearch.Found
  ) -> [String] {
    var notes: [String] = []
    if let layout = candidate.layout { notes.append("Its layout is \(layout).") }
    notes += candidate.notes
    if candidate.layout == nil {
      let count = search.unrelatedCount
      let told = count - found.unrelated.count
      let finding =
        switch (told, count) {
        case (_, 0):
          "No \(found.kin.isEmpty ? "other device" : "device of another kind") is in sight to tell it from."
        case (0, 1): "The other device in sight sends nothing that tells the two apart."
        case (0, _): "None of the \(count) other devices in sight sends anything that tells it apart."
        case (1, 1): "The item asks for the least that tells it from the other device in sight."
        case (count, _): "The item asks for the least that tells it from the \(count) other devices in sight."
        default:
          "The item asks for the least that tells it from \(told) of the \(count) other devices in sight."
        }
      notes.append("Its layout is not known. " + finding)
    }
    if found.kin.isEmpty, found.unrelated.isEmpty, search.otherCount > 0 {
      notes.append("It finds this device alone.")
    } else if !found.kin.isEmpty {
      notes.append(
        "It finds \(found.kin.count + 1) devices of this kind in sight: this one and \(names(found.kin)).")
    }
    if let pace { notes.append("It sends \(pace.text). " + immediateNote(sets, pace)) }
    if sets.count > 1 {
      let set = source.advertisingSID.map { "set \($0)" } ?? "legacy advertising"
      notes.append("It has several advertising sets; this is its \(set).")
    }
    return notes
  }

  /// Says why the item has a silence time of its own.
  private static func note(_ pace: FramePace) -> String? {
    guard let absence = pace.absenceMilliseconds, let lost = pace.lostMilliseconds else { return nil }
    return
      "For up to \((absence + 999) / 1000) s it sends only other frames than the one that the item asks for: "
      + "gate.\(GateKey.lost.rawValue) = \(lost) keeps it found meanwhile, and so it is lost \(lost / 1000) s after it "
      + "has gone."
  }

  private static func warning(_ pace: FramePace) -> String? {
    guard pace.visitCount < FramePace.visitsMin, pace.rarity > 0 else { return nil }
    return
      "The frame that the item asks for came only \(pace.visitCount == 1 ? "once" : "twice") among the device's other "
      + "frames: listen for longer, to see how seldom it comes."
  }

  /// How the device sends, if it pauses again and again.
  private static func pace(of sets: [SuggestionSource]) -> HeardPace? {
    guard let seldom = sets.map(\.pause).min(by: { $0.milliseconds < $1.milliseconds }), seldom.count > 0
    else {
      return nil
    }
    let isBurst = sets.contains { $0.reportCount > 2 * ($0.pause.count + 1) }
    let times = sets.flatMap(\.times).sorted()
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
    let interval = gaps.isEmpty ? nil : UInt32(clamping: gaps[gaps.count / 2])
    let text =
      seldom.count == 1
      ? DevicePace.text(ofOnePause: seldom.milliseconds, isBurst: isBurst)
      : DevicePace.text(
        intervalMilliseconds: isBurst ? 0 : interval, rhythmMilliseconds: seldom.milliseconds)
    return text.map { HeardPace(text: $0, pauseMilliseconds: seldom.milliseconds) }
  }

  /// What the immediate gate does with a device that sends so.
  private static func immediateNote(_ sets: [SuggestionSource], _ pace: HeardPace) -> String {
    let trial = GateTrial(times: sets.flatMap(\.times), pauseMilliseconds: Int64(pace.pauseMilliseconds))
    let entry = trial.cure.map { "lets it in only with \($0.settings)" }
    guard trial.losesIt else {
      return "An item of the immediate range \(entry ?? "lets it in as it is, and keeps it")."
    }
    return
      "An item of the immediate range \(entry.map { "\($0), and " } ?? "")loses it in between, unless gate.silence-ms and "
      + "gate.silence-max-ms are longer."
  }

  private static func warnings(
    _ candidate: SuggestionCandidate, _ source: SuggestionSource, sets: [SuggestionSource],
    _ search: SuggestionSearch, _ found: SuggestionSearch.Found
  ) -> [String] {
    var warnings: [String] = []
    let reportCount = sets.reduce(0) { $0 + $1.reportCount }
    let proof = source.proof(of: candidate.descriptor)
    let isKnown = candidate.layout != nil && reportCount >= reportsEnough
    if search.isDoubtful {
      warnings.append(
        "This is a guess: the \(candidate.descriptor.companyIdentifier == nil ? "service" : "company identifier") may be a "
          + "reading, and nothing else recognises the device. See whether the item still finds it tomorrow, and whether it "
          + "finds another unit.")
    } else if proof.differentCount < HeardFrame.differentMax, !isKnown {
      warnings.append("This is a guess: " + guess(proof.reportCount, different: proof.differentCount))
    } else if reportCount < reportsEnough {
      warnings.append(
        "\(count(reportCount, "report")) \(reportCount == 1 ? "is" : "are") too few to see which bytes change; take "
          + "\(reportsEnough) or more.")
    }
    if let count = candidate.descriptor.shortNameCount {
      warnings.append(
        "The item asks only for a name that begins with \(Self.count(count, "character")), which other devices may "
          + "have as well.")
    }
    if source.address.lifetime != .durable {
      warnings.append(
        "The device changes its address every few minutes: an accessory of this item is lost when it does, unless the "
          + "gateway has its identity key.")
    }
    if candidate.needsMoreThanAuto(source) {
      warnings.append(
        "What the item asks for stands in the scan response: set scan = \"active\" in [gateway], or it is not found."
      )
    } else if candidate.needsScanResponse(of: source) {
      warnings.append(
        "What the item asks for stands in the scan response: with scan = \"passive\" in [gateway] it is not found."
      )
    }
    let missed = found.missedKin + found.missedLikely
    if !missed.isEmpty {
      warnings.append(
        "The item does not find \(count(missed.count, "device")) in sight that may be of the same kind: "
          + "\(names(missed)).")
    }
    if !found.probableKin.isEmpty {
      warnings.append(
        "Of the devices that it finds, \(count(found.probableKin.count, "device")) may be another maker's, with the same "
          + "service and another company: \(names(found.probableKin)).")
    }
    if !found.unrelated.isEmpty {
      warnings.append(
        "The item also finds \(count(found.unrelated.count, "other device")) in sight: \(names(found.unrelated))."
      )
    }
    return warnings
  }

  /// What a guess rests on. A device that never changes cannot be asked for more.
  private static func guess(_ reportCount: Int, different: Int) -> String {
    guard reportCount >= reportsEnough else {
      return
        "only \(count(different, "different report")) came, and fewer than \(HeardFrame.differentMax) do not show which "
        + "bytes change; listen until its readings have changed, and take \(reportsEnough) or more."
    }
    let contents = different == 1 ? "are the same" : "have only \(different) different contents"
    return
      "the \(reportCount) reports of the frame that the item asks for \(contents), which does not show which bytes "
      + "change; that is as it should be for a device without readings."
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func names(_ devices: [SuggestionSource]) -> String {
    let named = devices.prefix(namedMax).map(\.shownName).joined(separator: ", ")
    return devices.count > namedMax ? "\(named) and \(devices.count - namedMax) more" : named
  }
}

extension SuggestionSource {
  fileprivate var shownName: String {
    let address = address.text ?? "(anonymous)"
    guard let name = name?.text else { return address }
    return "\(address) \(name.terminal(columnsMax: 24))"
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
  }
}
