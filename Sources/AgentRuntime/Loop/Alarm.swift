// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem

/// The loop's one alarm. It is set only when its time changes, and never read: setting it anew makes it quiet.
struct Alarm: ~Copyable {
  let descriptor: AlarmDescriptor
  /// Boot time of the instant 0, in microseconds; without one it never rings.
  private let origin: Int64?
  private var setting: Instant?
  private var hasRung = false

  init(origin: Int64?) throws(SystemError) {
    self.origin = origin
    descriptor = try AlarmDescriptor()
  }

  mutating func rang() { hasRung = true }

  mutating func set(_ time: Instant?) throws(SystemError) {
    guard let origin, hasRung || time != setting else { return }
    try descriptor.set(time.map { origin + $0.microseconds })
    (setting, hasRung) = (time, false)
  }
}
