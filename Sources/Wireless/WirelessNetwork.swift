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

    public init(bssid: BSSID, name: NetworkName) { (self.bssid, self.name) = (bssid, name) }
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
    (self.bssid, self.name, self.frequencyMegahertz) = (bssid, name, frequencyMegahertz)
    (self.signal, self.security, self.lastSeen) = (signal, security, lastSeen)
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

/// A network's name (SSID): 0 to 32 bytes of any value, NUL bytes included (IEEE 802.11-2020, 9.4.2.2).
///
/// Names are compared and hashed as bytes. The bytes are stored inline.
public struct NetworkName: Hashable, Sendable, BitwiseCopyable {
  /// The bytes of a name, at most.
  public static let byteCountMax = 32

  /// Byte `n` of the name is byte `n % 8`, counted from the least significant, of word `n / 8`. Bytes past the end are
  /// 0.
  private var words = InlineArray<4, UInt64>(repeating: 0)
  private let length: UInt8

  /// The name with these bytes, or nil when there are more than 32.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count <= Self.byteCountMax else { return nil }
    length = UInt8(bytes.count)
    for (index, byte) in bytes.enumerated() { words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8) }
  }

  /// The name in borrowed bytes, or nil when there are more than 32.
  public init?(_ bytes: RawSpan) {
    guard bytes.byteCount <= Self.byteCountMax else { return nil }
    length = UInt8(bytes.byteCount)
    for index in 0..<bytes.byteCount {
      words[index / 8] |= UInt64(bytes.uint8(at: index)) << UInt64(index % 8 * 8)
    }
  }

  public var byteCount: Int { Int(length) }

  /// The bytes as they are on the air.
  public var bytes: [UInt8] { (0..<byteCount).map(byte(at:)) }

  /// Whether the network hides its name: it sends no bytes, or NUL bytes only. Such a name matches nothing.
  public var isHidden: Bool { words.indices.allSatisfy { words[$0] == 0 } }

  /// Whether the bytes of this name come before those of another, in the order of dictionaries.
  public func precedes(_ other: NetworkName) -> Bool {
    for index in words.indices where words[index] != other.words[index] {
      return words[index].byteSwapped < other.words[index].byteSwapped
    }
    return length < other.length
  }

  public static func == (left: NetworkName, right: NetworkName) -> Bool {
    left.length == right.length && left.words.indices.allSatisfy { left.words[$0] == right.words[$0] }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(length)
    for index in words.indices { hasher.combine(words[index]) }
  }

  private func byte(at index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: words[index / 8] >> UInt64(index % 8 * 8))
  }
}

/// What the kernel knew of networks at one moment.
///
/// Capacity: 4,096 networks, more than the kernel keeps; what is beyond is counted.
public struct NetworkList: Equatable, Sendable {
  public static let capacity = 4096

  /// In the order of the kernel, hidden ones included.
  public private(set) var networks: [WirelessNetwork] = []
  /// Whether the interface is connected to a network.
  public var isAssociated = false
  /// The radio of that network, if the source says so.
  public var accessPoint: BSSID?
  /// Networks whose name has more than 32 bytes.
  public var namesRefused: UInt64 = 0
  /// Networks or messages that were malformed, and networks beyond the capacity.
  public var malformed: UInt64 = 0

  public init() {}

  public mutating func append(_ network: WirelessNetwork) {
    guard networks.count < Self.capacity else {
      malformed &+= 1
      return
    }
    networks.append(network)
  }

  /// When a network was last heard that an interface hears only while it scans: none of the radio to which it is
  /// connected, which may send several networks in its beacons, with addresses that differ in the last byte (IEEE
  /// 802.11-2020, 9.4.2.45).
  var lastHeardByScan: Instant? {
    networks.lazy.filter { $0.bssid.bits >> 8 != accessPoint.map { $0.bits >> 8 } }.map(\.lastSeen).max()
  }

  /// The same list by a clock that reads `now` at the moment for which this one has 0.
  public func shifted(to now: Instant) -> NetworkList {
    var list = self
    for index in list.networks.indices {
      list.networks[index].lastSeen.microseconds &+= now.microseconds
    }
    return list
  }
}
