// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Decides when the loop reads a radio. Wake-ups cost more than matching, so a busy radio is read once per interval and
/// not once per packet, and a packet that comes alone costs one wake-up.
///
/// A radio with a descriptor has one read per interval, and saves up to ``savedReadsMax`` that it does not need. While it
/// has one, a packet is read as it arrives. Otherwise the packet ends the watching: from then on the radio is read at the
/// end of each interval, until such a read finds nothing. A radio without a descriptor reports when it is due, and saves
/// none. While a request is urgent, no read is delayed, unless more than ``busyCount`` packets came within a second.
struct DrainSchedule: Equatable {
  /// A busier radio is read once per interval even while a request is urgent: a turn for each packet would cost more than
  /// the 20 ms are worth.
  static let busyCount = 50
  private static let busyMilliseconds: Int64 = 1000
  /// Packets that come at random at almost the rate of the intervals need no timer with as many.
  private static let savedReadsMax: Int64 = 5

  var intervalMilliseconds: Int64
  let hasDescriptor: Bool
  /// When the next read has been earned: in the past when some are saved.
  private var pauseEnd = Instant(microseconds: 0)
  /// Whether the radio is read at the end of the pause, and not watched until then.
  private var isBatching = false
  private var isBusy = false
  /// The packets since the second began in which they are counted.
  private var packetCount = 0
  private var secondStart = Instant(microseconds: 0)

  init(intervalMilliseconds: Int64, hasDescriptor: Bool = true) {
    (self.intervalMilliseconds, self.hasDescriptor) = (intervalMilliseconds, hasDescriptor)
  }

  func isWatched(isUrgent: Bool) -> Bool { isUrgent && !isBusy || !isBatching }

  /// Returns whether the radio is read in this turn. `due` is the time when the source has its next packet.
  mutating func admitRead(at now: Instant, isReady: Bool, due: Instant?, isUrgent: Bool) -> Bool {
    if isReady {
      if isUrgent && !isBusy || !isBatching && pauseEnd <= now {
        isBatching = false
        return true
      }
      isBatching = true
    }
    return deadline(due: due, isUrgent: isUrgent).map { $0 <= now } ?? false
  }

  /// The time when the loop must turn for the radio.
  func deadline(due: Instant?, isUrgent: Bool) -> Instant? {
    if hasDescriptor { return isBatching ? pauseEnd : nil }
    guard !isUrgent || isBusy else { return due }
    return due.map { max($0, pauseEnd) }
  }

  /// `packets` is how many were read.
  mutating func drained(_ outcome: RadioDrain, packets: Int = 1, at now: Instant) {
    if now.milliseconds(since: secondStart) >= Self.busyMilliseconds {
      (isBusy, packetCount, secondStart) = (packetCount > Self.busyCount, 0, now)
    }
    packetCount += packets
    if packetCount > Self.busyCount { isBusy = true }
    switch outcome {
    case .nothing where hasDescriptor: isBatching = false
    case .nothing, .some, .ended:
      let saved = hasDescriptor ? Self.savedReadsMax * intervalMilliseconds : 0
      let earned = min(max(pauseEnd, now.advanced(milliseconds: -saved)), now)
      pauseEnd = earned.advanced(milliseconds: intervalMilliseconds)
    case .more: (pauseEnd, isBatching) = (now, true)
    }
  }
}

/// How long to wait before trying again: half a second after the first failure, then twice as long each time, up to
/// half a minute. After a success that lasted a minute, the next failure counts as the first.
struct BackOff: Equatable {
  static let millisecondsMin: Int64 = 500
  static let millisecondsMax: Int64 = 30_000
  private static let successMilliseconds: Int64 = 60_000

  private var milliseconds = BackOff.millisecondsMin
  private var successSince: Instant?

  mutating func succeeded(at now: Instant) { successSince = now }

  /// Records a failure. Returns the time to try again.
  mutating func failed(at now: Instant, millisecondsMax: Int64 = millisecondsMax) -> Instant {
    if let since = successSince, now.milliseconds(since: since) >= Self.successMilliseconds {
      milliseconds = Self.millisecondsMin
    }
    successSince = nil
    defer { milliseconds = min(2 * milliseconds, Self.millisecondsMax) }
    return now.advanced(milliseconds: min(milliseconds, millisecondsMax))
  }
}
