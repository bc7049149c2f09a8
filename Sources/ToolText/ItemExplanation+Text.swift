// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
public import Explanation
import HCI
import Interfaces
import JSON
import Manifest

extension ItemExplanation {
  /// The explanation clause by clause.
  public func text(_ style: TextStyle = .plain) -> String {
    var rows = TextRows(indent: 7, labelColumnCount: 11, style)
    rows.line("\n" + headline(style))
    if setCount > 1, !clauses.isEmpty { rows.row(isOfFrames ? "frame" : "set", setText) }
    for clause in clauses { clause.describe(in: &rows, style, isOfFrames: isOfFrames) }
    if holds { describeGate(in: &rows, style) }
    return rows.text
  }

  /// The answer alone.
  public func line(_ style: TextStyle = .plain) -> String { headline(style) + "\n" }

  private func headline(_ style: TextStyle) -> String {
    let name = AirText(Array("\(app)/\(item)".utf8)).escaped()
    return "\(style.strong(name))\(isAlternate ? ", second identity" : ""): \(why)"
  }

  private var setText: String {
    if isOfFrames { return "\(setCount - setPosition) of \(setCount)" }
    return setPosition == 0
      ? "the one heard last of \(setCount)"
      : "\(setPosition + 1) of \(setCount), counted from the one heard last"
  }

  private func describeGate(in rows: inout TextRows, _ style: TextStyle) {
    rows.line(
      "  \(isFound ? style.good("yes") : style.bad("no "))  \(DescriptorKey.range.rawValue) "
        + (gate.range.rawValue))
    rows.row("heard", gate.heardText)
    guard gate.isImmediate, let level = gate.levelText else { return }
    rows.row("level", level)
    rows.row(
      "samples",
      "\(gate.samplesInWindow ?? 0) in the last \(gate.windowMilliseconds ?? 0) ms; \(gate.samplesMin ?? 0) needed"
    )
    if let presence, let state = gate.stateText(presence) { rows.row("state", state) }
  }
}

extension GateLine {
  fileprivate var heardText: String {
    let pace = DevicePace.text(
      intervalMilliseconds: interval,
      rhythmMilliseconds: rhythmMilliseconds)
    let interval = pace.map { ", \($0)" } ?? ""
    let reportText = reports == 1 ? "1 report" : "\(reports) reports"
    let readings = samples == 1 ? "1 reading" : "\(samples) readings"
    let isShort = !isImmediate && rhythmMilliseconds.map { lostMilliseconds < Int($0) } ?? false
    let bound = isShort ? "; lost in its pauses, after \(lostMilliseconds) ms: raise gate.lost-max-ms" : ""
    return "\(readings) from \(reportText)\(interval), last \(silenceMilliseconds) ms ago\(bound)"
  }

  fileprivate var levelText: String? {
    guard let enterRSSI, let leaveRSSI else { return nil }
    guard let filteredRSSI else { return "none; \(enterRSSI.shortText) dBm lets in" }
    let missing = Decibels(sixteenths: enterRSSI.sixteenths - filteredRSSI.sixteenths)
    // It enters from 3/16 dB below on.
    let distance = missing.sixteenths > 3 ? " (\(missing.shortText) dB short)" : ""
    let loss = pathLoss.map { "; path loss \($0) dB" } ?? ""
    return "\(filteredRSSI.shortText) dBm filtered; \(enterRSSI.shortText) lets in\(distance), "
      + "under \(leaveRSSI.shortText) lets out\(loss)"
  }

  fileprivate func stateText(_ presence: Presence) -> String? {
    guard let elapsed = stateMilliseconds else { return nil }
    return switch presence {
    case .outside: "outside for \(elapsed) ms"
    case .approaching: "strong enough for \(elapsed) ms of \(enterDwellMilliseconds ?? 0) ms"
    case .inside: "inside for \(elapsed) ms"
    case .leaving: "too weak for \(elapsed) ms of \(leaveDwellMilliseconds ?? 0) ms"
    }
  }
}

extension ClauseAnswer {
  fileprivate func describe(in rows: inout TextRows, _ style: TextStyle, isOfFrames: Bool) {
    rows.line("  \(holds ? style.good("yes") : style.bad("no "))  \(key.rawValue)")
    if let frame, !holds { rows.row("holds in", "\(isOfFrames ? "frame" : "set") \(frame)") }
    rows.row("wanted", ([wanted.text] + options.words).joined(separator: " "))
    if let mask, mask.contains(where: { $0 != 0xFF }) { rows.row("mask", Hex(mask).text) }
    if comparisons.isEmpty, let found { rows.row("found", found) }
    for comparison in comparisons { comparison.describe(in: &rows, style) }
  }
}

extension ClauseAnswer {
  /// What stands in place of structures when there are none.
  private var found: String? {
    guard key == .addressPrefix else { return "nothing of this kind is advertised" }
    return holds ? nil : "an address that begins otherwise, or that changes"
  }
}

extension ClauseAnswer.Comparison {
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

extension PayloadPart {
  fileprivate var text: String {
    switch self {
    case .data: "advertising data"
    case .response: "scan response"
    }
  }
}
