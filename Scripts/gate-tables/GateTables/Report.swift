// SPDX-License-Identifier: GPL-3.0-or-later

import GateTrials
import VirtualRadio

/// The lines that are printed for a range of seeds.
struct Report {
  let seeds: Range<UInt64>

  /// Prints the figures of the guarantee; returns false when one does not hold.
  func promises() -> Bool {
    title("Promised: 100 ms advertising, 100 % duty, sigma 4 dB, no loss")
    let conditions = Conditions()
    let seen = conditions.whenFirstSeen(seeds: seeds)
    let moved = conditions.whenMovedIn(seeds: seeds)
    var held = [
      promise("first seen at -40 dBm: p99 at most 800 ms", text(seen), seen.percentile(99) ?? .max <= 800),
      promise(
        "moved in from -75 to -40 dBm: p99 at most 1300 ms", text(moved), moved.percentile(99) ?? .max <= 1300
      ),
    ]
    for sigma in [2, 3, 4] {
      var conditions = Conditions()
      conditions.sigmaTenths = 10 * sigma
      let entries = conditions.falseEntries(seeds: seeds)
      let label = "10 min at -57 dBm, sigma \(sigma) dB: fewer than 1 % enter"
      held.append(promise(label, share(entries), entries * 100 < seeds.count))
    }
    for isCalibrated in [true, false] {
      let touched = conditions.whenTouched(isCalibrated: isCalibrated, seeds: seeds)
      held.append(
        promise(
          "touch, \(isCalibrated ? "calibrated" : "uncalibrated"): granted at most 1110 ms after entering",
          text(touched), touched.percentile(99) ?? .max <= 1110))
    }
    for error in [0, 3, 6] {
      var conditions = Conditions()
      conditions.calibrationError = error
      let touches = conditions.falseTouches(isCalibrated: false, seeds: seeds)
      let label = "touch, 10 min at -57 dBm, adapter +\(error) dB: fewer than 1 % granted"
      held.append(promise(label, share(touches), touches * 100 < seeds.count))
    }
    return held.allSatisfy(\.self)
  }

  private func promise(_ label: String, _ values: String, _ isHeld: Bool) -> Bool {
    line(label, values + (isHeld ? "" : "  BROKEN"))
    return isHeld
  }

  /// Prints the tables for other conditions.
  func tables() {
    table("Sigma", [0, 2, 4, 6, 8, 10].map { value in ("\(value) dB", { $0.sigmaTenths = 10 * value }) })
    table("Loss", [0, 10, 25, 50, 75].map { value in ("\(value) %", { $0.lossPerMille = 10 * value }) })
    table("Scan duty", [100, 60, 30, 10].map { value in ("\(value) %", { $0.dutyPercent = value }) })
    table(
      "Advertising interval",
      [20, 100, 250, 500, 1000, 3000].map { value in ("\(value) ms", { $0.advertisingMilliseconds = value }) }
    )
    table(
      "Calibration error",
      [-10, -6, -3, 0, 3, 6, 10].map { value in ("\(value) dB", { $0.calibrationError = value }) })
    table(
      "Channels 37 and 39 apart from 38",
      [0, 3, 6, 10].map { value in
        ("-\(value), +\(value) dB", { $0.channelOffsetsTenths = .init(-10 * value, 0, 10 * value) })
      })
    table(
      "Fades of 300 ms, 20 dB deep, at one report in",
      [1000, 200, 50, 20].map { value in
        ("\(value)", { $0.fades = .init(startsPerMille: 1000 / value, depthTenths: 200, milliseconds: 300) })
      })
    levels()
  }

  /// Prints the level at which devices begin to enter.
  private func levels() {
    title("Mean level, sigma 4 dB: share that enters within 10 min")
    for level in [-60, -58, -57, -56, -55, -54, -53, -52, -50, -48] {
      line("\(level) dBm", share(Conditions().falseEntries(at: level, seeds: seeds)))
    }
  }

  private func table(_ name: String, _ rows: [(String, (inout Conditions) -> Void)]) {
    title("\(name): first seen at -40 dBm | moved in from -75 dBm | enters within 10 min at -57 dBm")
    for (label, adjust) in rows {
      var conditions = Conditions()
      adjust(&conditions)
      let seen = text(conditions.whenFirstSeen(seeds: seeds))
      let moved = text(conditions.whenMovedIn(seeds: seeds))
      line(label, "\(seen) | \(moved) | \(share(conditions.falseEntries(seeds: seeds)))")
    }
  }

  private func title(_ text: String) { print("\n\(text), \(seeds.count) seeds") }

  private func line(_ label: String, _ values: String) {
    let padding = String(repeating: " ", count: max(1, 56 - label.count))
    print("  \(label)\(padding)\(values)")
  }

  private func text(_ latencies: Latencies) -> String {
    let (median, tail) = (latencies.percentile(50), latencies.percentile(99))
    let missing = latencies.count - latencies.entered
    return "p50 \(milliseconds(median)), p99 \(milliseconds(tail))"
      + (missing > 0 ? ", \(share(missing)) never" : "")
  }

  private func milliseconds(_ value: Int?) -> String { value.map { "\($0) ms" } ?? "-" }

  /// Per cent with two decimals.
  private func share(_ part: Int) -> String {
    let hundredths = (part * 10_000 + seeds.count / 2) / seeds.count
    let decimals = hundredths % 100
    return "\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals) %"
  }
}
