// SPDX-License-Identifier: GPL-3.0-or-later

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
