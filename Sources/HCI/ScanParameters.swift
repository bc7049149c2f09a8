// SPDX-License-Identifier: GPL-3.0-or-later

/// How a controller scans on one PHY (Core Specification 5.4, Volume 4, Part E, 7.8.10 and 7.8.64).
@frozen
public struct ScanParameters: Equatable, Sendable, BitwiseCopyable {
  @frozen
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// Only listens.
    case passive = 0
    /// Asks scannable advertisers for their scan responses.
    case active = 1
  }

  public var kind: Kind
  /// In units of 625 µs.
  public var interval: UInt16
  /// Listening, of each interval; in units of 625 µs, at most the interval.
  public var window: UInt16

  @inlinable
  public init(_ kind: Kind, interval: UInt16, window: UInt16) {
    self.kind = kind
    self.interval = interval
    self.window = window
  }

  /// What the legacy command accepts for interval and window: 2.5 ms to 10.24 s. The extended command accepts more.
  public static var legacyRange: ClosedRange<UInt16> { 0x0004...0x4000 }
}

/// The address that scan requests carry (7.8.10, Own_Address_Type).
@frozen
public enum OwnAddressType: UInt8, Sendable, BitwiseCopyable {
  case `public` = 0
  case random = 1
  case resolvableOrPublic = 2
  case resolvableOrRandom = 3
}

/// Whose advertising is reported (7.8.10, Scanning_Filter_Policy).
@frozen
public enum ScanFilterPolicy: UInt8, Sendable, BitwiseCopyable {
  /// Everyone's; directed advertising only when it is meant for us.
  case all = 0
  /// The accept list's; directed advertising only when it is meant for us.
  case acceptList = 1
  /// All advertisers; directed advertising also when its target is a private address that may be the controller's own.
  case allAndUnresolved = 2
  /// The accept list's; directed advertising as in ``allAndUnresolved``.
  case acceptListAndUnresolved = 3
}

/// Whether the controller reports what it has reported already (7.8.65, Filter_Duplicates).
@frozen
public enum DuplicateFilter: UInt8, Sendable, BitwiseCopyable {
  case off = 0
  case on = 1
  /// As ``on``, and forgets with each scan period.
  case resetEachPeriod = 2
}

/// How much of the time an adapter listens.
public struct ScanDuty: Equatable, Sendable {
  /// Listening, of each interval; at most the interval.
  public var windowMilliseconds: UInt16
  /// 3 to 10,240 (Core Specification 5.4, Volume 4, Part E, 7.8.10).
  public var intervalMilliseconds: UInt16

  /// Whether it listens all the time.
  public var isFull: Bool { windowMilliseconds >= intervalMilliseconds }

  /// Listening, in parts of 65,536.
  public var share: UInt32 { UInt32(windowMilliseconds) << 16 / max(UInt32(intervalMilliseconds), 1) }

  /// Listening, in per cent: 100 only for all of the time.
  public var percent: Int { isFull ? 100 : min(99, max(1, Int((share * 100 + 1 << 15) >> 16))) }

  public init(windowMilliseconds: UInt16, intervalMilliseconds: UInt16) {
    self.windowMilliseconds = windowMilliseconds
    self.intervalMilliseconds = intervalMilliseconds
  }
}
