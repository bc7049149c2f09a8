// SPDX-License-Identifier: Apache-2.0

// What the values of `io.accessoryd.Gateway` say beside their members.

extension StatusLine {
  /// Whether the agent has no problem to report.
  public var isWell: Bool { problems.isEmpty }
}

extension TurnedAwayLine {
  /// What happened and what helps, as a sentence for operators.
  public var sentence: String {
    let count = devices == 1 ? "1 device" : "\(devices) devices"
    return "\(app)/\(item) is full and has turned away \(count) in sight, because it keeps stronger ones; "
      + "raise capacity.matches-per-item"
  }
}

extension DeviceLine.Item {
  /// `history` says how often the item found the device in a recording.
  public init(app: String, item: String, presence: Presence, history: FoundHistory? = nil) {
    let isFound = history.map { $0.count > 0 } ?? presence.isFound
    self.init(app: app, item: item, isFound: isFound, presence: presence, history: history)
  }
}

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

extension ConnectionLine.End {
  /// What ended it, for operators.
  public var sentence: String {
    switch self {
    case .app: "the app closed the connection"
    case .accessory: "the accessory ended it"
    case .lost: "the accessory went out of reach"
    case .bond: "the accessory did not accept the keys of its bond"
    case .removed: "the app may not use the accessory any longer"
    case .unauthenticated: "the manifest now demands an authenticated bond, which the accessory lacks"
    case .session: "the app's session ended"
    case .operator: "an operator ended it"
    case .radio: "the radio was closed"
    }
  }
}
