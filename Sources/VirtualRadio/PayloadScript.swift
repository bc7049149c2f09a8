// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What a device advertises over time: payloads that take turns, for ever.
public struct PayloadScript: Equatable, Sendable {
  private let payloads: [AdvertisingPayload]
  private let turnMilliseconds: Int

  /// A payload that never changes.
  public init(_ payload: AdvertisingPayload) { self.init(cycle: [payload], turnMilliseconds: 1) }

  /// Each payload for `turnMilliseconds`, then the next, and from the start again.
  public init(cycle payloads: [AdvertisingPayload], turnMilliseconds: Int) {
    precondition(!payloads.isEmpty && turnMilliseconds > 0, "a cycle has a payload and a turn")
    self.payloads = payloads
    self.turnMilliseconds = turnMilliseconds
  }

  public func payload(at time: Instant) -> AdvertisingPayload {
    payloads[Int(time.microseconds / 1000) / turnMilliseconds % payloads.count]
  }
}
