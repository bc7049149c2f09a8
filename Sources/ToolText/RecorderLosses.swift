// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces

/// What the recorder of a capture did not write down.
public struct RecorderLosses: Equatable, Sendable {
  /// Records that hold less of their packet than was on the wire.
  public private(set) var cutCount = 0
  /// Packets that the recorder counted as dropped between the capture's records.
  public private(set) var dropCount: UInt64 = 0
  private var cumulativeDrops: UInt32?

  public init() {}

  /// What was dropped before the first record is no loss of the capture. A count that falls is a recorder's that
  /// started again.
  @inline(__always)
  mutating func count(_ record: borrowing BtsnoopRecord) {
    if record.originalByteCount > record.payload.byteCount { cutCount += 1 }
    let drops = record.cumulativeDrops
    if let before = cumulativeDrops { dropCount += UInt64(drops < before ? drops : drops - before) }
    cumulativeDrops = drops
  }

  /// One sentence without its end; nil when nothing was lost.
  public var sentence: String? {
    guard cutCount > 0 || dropCount > 0 else { return nil }
    let records = cutCount == 1 ? "record" : "records"
    let packets = dropCount == 1 ? "packet" : "packets"
    return "the recorder cut \(cutCount) \(records) short and dropped \(dropCount) \(packets)"
  }
}
