// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import JSON
import Manifest

extension ItemExplanation {
  /// Clause by clause for people, at 80 columns.
  public func text(_ style: TextStyle = .plain) -> String {
    var rows = TextRows(indent: 7, labelColumnCount: 11)
    let name = AirText(Array("\(app)/\(item)".utf8)).escaped()
    rows.line("\n\(style.strong(name))\(isAlternate ? ", second identity" : ""): \(why)")
    if setCount > 1, !clauses.isEmpty { rows.row("set", setText) }
    for clause in clauses { clause.describe(in: &rows, style) }
    if holds { describeGate(in: &rows, style) }
    return rows.text
  }

  /// The answer in a few words.
  public var why: String {
    if clauses.isEmpty { return "looks only for networks" }
    if let failure { return failure.shortReason }
    guard let presence else {
      return gate.silenceMilliseconds >= gate.lostMilliseconds
        ? "matched; silent \(gate.silenceMilliseconds) ms, lost after \(gate.lostMilliseconds) ms"
        : "matches, but was turned away because a table is full"
    }
    switch presence {
    case .inside: return gate.immediate == nil ? "found" : "found, at the gateway"
    case .leaving: return "found, leaving"
    case .approaching: return "matches, and is coming to the gateway"
    case .outside: return gate.immediate == nil ? "matches, not found" : "matches, but is not at the gateway"
    }
  }

  private var setText: String {
    setPosition == 0
      ? "the one heard last of \(setCount)"
      : "\(setPosition + 1) of \(setCount), counted from the one heard last"
  }

  private func describeGate(in rows: inout TextRows, _ style: TextStyle) {
    rows.line(
      "  \(isFound ? style.good("yes") : style.bad("no "))  \(DescriptorKey.range.rawValue) "
        + (gate.immediate == nil ? "default" : "immediate"))
    rows.row("heard", gate.heardText)
    guard let immediate = gate.immediate else { return }
    rows.row("level", gate.levelText(immediate))
    rows.row(
      "samples",
      "\(immediate.samples) in the last \(immediate.windowMilliseconds) ms; \(immediate.samplesMin) needed")
    if let presence, let state = immediate.stateText(presence) { rows.row("state", state) }
  }
}

extension GateAnswer {
  fileprivate var heardText: String {
    let interval = learnedMilliseconds.map { ", every \($0) ms" } ?? ""
    let reports = reportCount == 1 ? "1 report" : "\(reportCount) reports"
    let readings = readingCount == 1 ? "1 reading" : "\(readingCount) readings"
    return "\(readings) from \(reports)\(interval), last \(silenceMilliseconds) ms ago"
  }

  fileprivate func levelText(_ immediate: Immediate) -> String {
    guard let level else { return "none; \(immediate.enter.shortText) dBm lets in" }
    let missing = Decibels(sixteenths: immediate.enter.sixteenths - level.sixteenths)
    let distance = missing.sixteenths > 0 ? " (\(missing.shortText) dB short)" : ""
    let loss = pathLoss.map { "; path loss \($0) dB" } ?? ""
    return "\(level.shortText) dBm filtered; \(immediate.enter.shortText) lets in\(distance), "
      + "under \(immediate.leave.shortText) lets out\(loss)"
  }
}

extension GateAnswer.Immediate {
  fileprivate func stateText(_ presence: Presence) -> String? {
    guard let elapsed = stateMilliseconds else { return nil }
    return switch presence {
    case .outside: "outside for \(elapsed) ms"
    case .approaching: "strong enough for \(elapsed) ms of \(enterDwellMilliseconds) ms"
    case .inside: "inside for \(elapsed) ms"
    case .leaving: "too weak for \(elapsed) ms of \(leaveDwellMilliseconds) ms"
    }
  }
}

extension ClauseAnswer {
  /// Why the clause does not hold, in a few words.
  fileprivate var shortReason: String {
    let name = key.rawValue.dropFirst("bluetooth-".count)
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

  fileprivate func describe(in rows: inout TextRows, _ style: TextStyle) {
    rows.line("  \(holds ? style.good("yes") : style.bad("no "))  \(key.rawValue)")
    rows.row("wanted", ([wanted.text] + options.words).joined(separator: " "))
    if let mask, mask.contains(where: { $0 != 0xFF }) { rows.row("mask", Hex(mask).text) }
    if comparisons.isEmpty { rows.row("found", "nothing of this kind is advertised") }
    for comparison in comparisons { comparison.describe(in: &rows, style) }
  }
}

extension ClauseAnswer.Comparison {
  /// How far the payload is right.
  fileprivate var agreement: Int { masked?.firstDifference ?? .max }

  fileprivate func describe(in rows: inout TextRows, _ style: TextStyle) {
    let place = "(\(part.text), byte \(offset), type 0x\(Hex.digits(UInt64(type), count: 2)))"
    rows.row("found", [value.text] + place.split(separator: " ").map(String.init))
    guard let masked, let difference = masked.firstDifference else { return }
    rows.row("masked", Hex(masked.found).text)
    rows.row("should be", Hex(masked.wanted).text)
    if masked.isTooShort, difference == masked.found.count {
      rows.row("differs", "it ends after \(masked.found.count) of \(masked.wanted.count) bytes")
    } else {
      rows.row(
        "differs",
        "first at byte \(difference): \(hex(masked.found, difference)), not \(hex(masked.wanted, difference))"
      )
    }
  }

  private func hex(_ bytes: [UInt8], _ index: Int) -> String { "0x" + Hex([bytes[index]]).text }
}
