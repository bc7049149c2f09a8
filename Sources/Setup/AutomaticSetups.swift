// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

/// A device or a network, and the item that sets it up automatically.
struct AutomaticKey: Hashable, Sendable {
  let device: DeviceIdentity
  let app: String
  let item: String
}

/// Limits when devices may be set up automatically: not too many at once, and not again right after a failure.
///
/// Capacity: ``failedMax`` devices whose setup failed; when there are more, the one whose retry is nearest is
/// forgotten, which is counted.
struct AutomaticSetups: Sendable {
  /// Waits after the first, the second, and every further failure in a row.
  static let backOffMilliseconds: [Int64] = [60_000, 300_000, 1_800_000]
  static let setupsPerMinute = 6
  static let failedMax = 256

  /// How many setups have failed in a row, and when the next one may begin.
  private struct Retry: Sendable {
    var count: Int
    var time: Instant
  }

  /// Whether some network is to be set up that is no accessory of its app yet.
  var awaitsNetworks = false
  private var failed: [AutomaticKey: Retry] = [:]
  private var begun: [Instant] = []

  /// Returns whether the device may be set up now. If so, the setup counts as begun.
  mutating func beginSetup(_ key: AutomaticKey, at now: Instant) -> Bool {
    guard failed[key].map({ $0.time <= now }) ?? true else { return false }
    begun.removeAll { now.milliseconds(since: $0) >= 60_000 }
    guard begun.count < Self.setupsPerMinute else { return false }
    begun.append(now)
    return true
  }

  /// Forgets the failures of a device that has become an accessory.
  mutating func succeed(_ key: AutomaticKey) { failed[key] = nil }

  /// Returns when the setup is tried again; `isForgotten` when another device had to give way.
  mutating func fail(_ key: AutomaticKey, at now: Instant) -> (seconds: Int64, isForgotten: Bool) {
    let count = (failed[key]?.count ?? 0) + 1
    let wait = Self.backOffMilliseconds[min(count, Self.backOffMilliseconds.count) - 1]
    var isForgotten = false
    if failed[key] == nil, failed.count >= Self.failedMax,
      let nearest = failed.min(by: { $0.value.time < $1.value.time })
    {
      failed[nearest.key] = nil
      isForgotten = true
    }
    failed[key] = Retry(count: count, time: now.advanced(milliseconds: wait))
    return (wait / 1000, isForgotten)
  }
}
