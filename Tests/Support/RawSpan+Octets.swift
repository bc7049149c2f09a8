// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension [UInt8] {
  /// The octets, borrowed.
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
  public var octets: [UInt8] {
    var octets: [UInt8] = []
    octets.reserveCapacity(byteCount)
    for index in 0..<byteCount { octets.append(uint8(at: index)) }
    return octets
  }
}
