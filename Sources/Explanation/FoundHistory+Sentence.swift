// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces

extension FoundHistory {
  /// The item found the device.
  public mutating func addFinding(at time: Seconds) {
    count += 1
    (lastFound, lastLost) = (time, nil)
    if count == 1 { firstFound = time }
  }

  /// The item lost the device.
  public mutating func addLoss(at time: Seconds) {
    lastLost = time
    if count == 1 { firstLost = time }
  }

  /// `found 5 times, first 3.388–13.130 s`; `verb` is what an item does: `found` or `let in`.
  public func sentence(_ verb: String) -> String? {
    guard let firstFound else { return nil }
    let times = count == 1 ? "once" : "\(count) times, first"
    let start = firstFound.text(decimals: 3)
    guard let end = firstLost else { return "\(verb) \(times) from \(start) s to the end" }
    return "\(verb) \(times)\(count == 1 ? "," : "") \(start)–\(end.text(decimals: 3)) s"
  }
}
