// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest

/// The keys that let a device into an item of the immediate range that is strong enough, but sends too seldom or too
/// briefly; `explain` and `suggest` say the same.
public struct EntryCure: Equatable, Sendable {
  /// For a device whose samples are so far apart that the filter restarts with each.
  public static let anySample = EntryCure(enterDwellMilliseconds: 0, samplesMin: 1)

  public let enterDwellMilliseconds: Int?
  public let samplesMin: Int?
  /// Whether a longer window for the samples does as well.
  let orLongerWindow: Bool

  init(enterDwellMilliseconds: Int? = nil, samplesMin: Int? = nil, orLongerWindow: Bool = false) {
    self.enterDwellMilliseconds = enterDwellMilliseconds
    self.samplesMin = samplesMin
    self.orLongerWindow = orLongerWindow
  }

  var keys: [(key: GateKey, value: Int)] {
    let samples = samplesMin.map { (key: GateKey.samplesMin, value: $0) }
    let dwell = enterDwellMilliseconds.map { (key: GateKey.enterDwell, value: $0) }
    return (self == .anySample ? [samples, dwell] : [dwell, samples]).compactMap(\.self)
  }

  /// "gate.enter-dwell-ms = 60 and gate.samples-min = 2".
  public var settings: String {
    let settings = keys.map { "gate.\($0.key.rawValue) = \($0.value)" }.joined(separator: " and ")
    return settings + (orLongerWindow ? " or a longer gate.\(GateKey.sampleWindowMax.rawValue)" : "")
  }

  /// "lower gate.enter-dwell-ms and gate.samples-min": what to do, for one whose bursts may be longer another time.
  var advice: String {
    if self == .anySample { return "set \(settings)" }
    let names = keys.map { "gate.\($0.key.rawValue)" }.joined(separator: " and ")
    return "lower \(names)" + (orLongerWindow ? " or raise gate.\(GateKey.sampleWindowMax.rawValue)" : "")
  }
}
