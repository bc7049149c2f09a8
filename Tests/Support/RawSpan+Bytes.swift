// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension [UInt8] {
  /// The bytes, borrowed.
  public var rawSpan: RawSpan {
    @_lifetime(borrow self)
    get {
      // Holds: any bit pattern of a UInt8 may be looked at.
      unsafe span.bytes
    }
  }
}

extension RawSpan {
  /// A copy that outlives what is borrowed.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount)
    for index in 0..<byteCount { bytes.append(uint8(at: index)) }
    return bytes
  }
}
