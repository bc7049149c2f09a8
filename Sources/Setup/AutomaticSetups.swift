// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Registry

/// A device and the item that sets it up by itself.
struct AutomaticKey: Hashable, Sendable {
  let device: DeviceAddress
  let app: String
  let item: String
}

/// When devices may be set up by themselves: not too many at once, and not again right after it failed.
///
/// Capacity: ``failedMax`` devices whose setup failed; when there are more, the one whose retry is nearest is forgotten,
/// which is counted.
struct AutomaticSetups: Sendable {
  /// Waits after the first, the second, and every further failure in a row.
  static let backOffMilliseconds: [Int64] = [60_000, 300_000, 1_800_000]
  static let grantsPerMinute = 6
  static let failedMax = 256

  private struct Failure: Sendable {
    var count: Int
    var retry: Instant
  }

  private var failed: [AutomaticKey: Failure] = [:]
  private var underWay: Set<AutomaticKey> = []
  private var granted: [Instant] = []
  /// Accessories that await their app.
  private var awaiting: [RandomIdentifier: AutomaticKey] = [:]

  /// Whether the device may be set up now; it counts as begun then.
  mutating func begin(_ key: AutomaticKey, at now: Instant) -> Bool {
    guard !underWay.contains(key), failed[key].map({ $0.retry <= now }) ?? true else { return false }
    granted.removeAll { now.milliseconds(since: $0) >= 60_000 }
    guard granted.count < Self.grantsPerMinute else { return false }
    granted.append(now)
    underWay.insert(key)
    return true
  }

  /// Devices that are being set up for an item and are no accessories yet.
  func countUnderWay(app: String, item: String) -> Int {
    underWay.count { $0.app == app && $0.item == item }
  }

  /// It is an accessory; `awaitsApp` as that.
  mutating func succeed(_ key: AutomaticKey, awaitsApp identifier: RandomIdentifier?) {
    underWay.remove(key)
    if let identifier { awaiting[identifier] = key } else { failed[key] = nil }
  }

  /// When it is tried again; `isForgotten` when another device had to give way.
  mutating func fail(_ key: AutomaticKey, at now: Instant) -> (seconds: Int64, isForgotten: Bool) {
    underWay.remove(key)
    let count = (failed[key]?.count ?? 0) + 1
    let wait = Self.backOffMilliseconds[min(count, Self.backOffMilliseconds.count) - 1]
    var isForgotten = false
    if failed[key] == nil, failed.count >= Self.failedMax,
      let nearest = failed.min(by: { $0.value.retry < $1.value.retry })
    {
      failed[nearest.key] = nil
      isForgotten = true
    }
    failed[key] = Failure(count: count, retry: now.advanced(milliseconds: wait))
    return (wait / 1000, isForgotten)
  }

  /// Accessories that awaited their app and do not any more; those that it took need no retry. What is answered went
  /// back.
  mutating func settle(awaiting still: Set<RandomIdentifier>, taken: (RandomIdentifier) -> Bool)
    -> [AutomaticKey]
  {
    let settled = awaiting.filter { !still.contains($0.key) }
    for (identifier, key) in settled {
      awaiting[identifier] = nil
      if taken(identifier) { failed[key] = nil }
    }
    return settled.filter { !taken($0.key) }.map(\.value)
  }
}
