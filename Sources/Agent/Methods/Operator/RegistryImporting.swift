// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Registry
import RegistryFormat
import Setup
import Varlink

/// The lines of a registry that a client is sending.
///
/// Capacity: one import at a time, of as many lines as a registry has rows and ``byteCountMax`` bytes. One that has not
/// gone on for ``idleMilliseconds`` gives way to the next.
struct RegistryImporting {
  static let byteCountMax = 16 << 20
  static let idleMilliseconds: Int64 = 30_000
  static let lineCountMax =
    1 + RegistryTable.allCases.reduce(0) { $0 + RegistryLimits.rowsMax(of: $1) }

  private(set) var lines: [String] = []
  private var byteCount = 0
  private var lastCall: Instant

  init(at now: Instant) { lastCall = now }

  func isIdle(at now: Instant) -> Bool { now.milliseconds(since: lastCall) >= Self.idleMilliseconds }

  mutating func append(_ more: [String], at now: Instant) throws(OperatorError) {
    lastCall = now
    byteCount += more.reduce(0) { $0 + $1.utf8.count }
    guard lines.count + more.count <= Self.lineCountMax, byteCount <= Self.byteCountMax else {
      throw .invalid(field: "lines", reason: "there are more than a registry holds")
    }
    lines += more
  }
}
