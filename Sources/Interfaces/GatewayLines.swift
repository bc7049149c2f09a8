// SPDX-License-Identifier: Apache-2.0

// What the values of `io.accessoryd.Gateway` say beside their members.

extension TurnedAwayLine {
  /// What happened and what helps, as a sentence for operators.
  public var sentence: String {
    let count = devices == 1 ? "1 device" : "\(devices) devices"
    return "\(app)/\(item) is full and has turned away \(count) in sight, because those that it keeps are "
      + "about as strong or stronger; raise capacity.matches-per-item"
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
