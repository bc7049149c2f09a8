// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
@_exported public import Values

/// A network as one radio sends it.
public struct WirelessNetwork: Hashable, Sendable, BitwiseCopyable {
  /// What tells networks apart. One radio may be there twice: without its name, and with the name that another
  /// station's probe made it send.
  public struct Key: Hashable, Sendable, BitwiseCopyable {
    public let bssid: BSSID
    public let name: NetworkName

    public init(bssid: BSSID, name: NetworkName) {
      self.bssid = bssid
      self.name = name
    }
  }

  public let bssid: BSSID
  public let name: NetworkName
  /// The centre of its channel in MHz, or nil when the source does not say.
  public var frequencyMegahertz: UInt32?
  /// The signal in dBm, or nil when the source does not say.
  public var signal: Int8?
  public var security: WirelessSecurity
  /// When its last beacon or probe response was received.
  public var lastSeen: Instant

  public init(
    bssid: BSSID, name: NetworkName, frequencyMegahertz: UInt32?, signal: Int8?, security: WirelessSecurity,
    lastSeen: Instant
  ) {
    self.bssid = bssid
    self.name = name
    self.frequencyMegahertz = frequencyMegahertz
    self.signal = signal
    self.security = security
    self.lastSeen = lastSeen
  }

  public var key: Key { Key(bssid: bssid, name: name) }

  /// Whether this network comes before another in a list: the stronger one, then the one with the lower address, then
  /// by the bytes of the names. An unknown signal is the weakest.
  public func precedes(_ other: WirelessNetwork) -> Bool {
    let levels = (signal.map(Int.init) ?? Int.min, other.signal.map(Int.init) ?? Int.min)
    if levels.0 != levels.1 { return levels.0 > levels.1 }
    if bssid != other.bssid { return bssid < other.bssid }
    return name.precedes(other.name)
  }
}

/// The address of the radio that sends a network's beacons: 48 bits (IEEE 802.11-2020, 9.2.4.3.4).
///
/// Several radios may send one network, and one radio several networks; those have different addresses.
public struct BSSID: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The address in the low 48 bits: the byte sent first, which is also written first, is the most significant one.
  public let bits: UInt64

  public init(bits: UInt64) { self.bits = bits & 0xFFFF_FFFF_FFFF }

  /// The address in six bytes, in the order in which they are sent, or nil when there are more or fewer.
  public init?(_ bytes: RawSpan) {
    guard bytes.byteCount == 6 else { return nil }
    bits = (0..<6).reduce(0) { $0 << 8 | UInt64(bytes.uint8(at: $1)) }
  }

  public static func < (left: BSSID, right: BSSID) -> Bool { left.bits < right.bits }

  /// Six bytes as two lower-case hexadecimal digits each, joined by colons.
  public var description: String { AddressText.text(of: bits).lowercased() }
}
