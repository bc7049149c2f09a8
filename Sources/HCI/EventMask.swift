// SPDX-License-Identifier: GPL-3.0-or-later

/// Which events the controller sends (Core Specification 5.4, Volume 4, Part E, 7.3.1).
@frozen
public struct EventMask: Equatable, Sendable, BitwiseCopyable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The mask after a reset: everything but LE Meta and other later events.
  public static var afterReset: Self { Self(rawValue: 0x0000_1FFF_FFFF_FFFF) }
  public static var hardwareError: Self { Self(rawValue: 1 << 15) }
  public static var leMeta: Self { Self(rawValue: 1 << 61) }

  @inlinable public func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }
  @inlinable public func union(_ other: Self) -> Self { Self(rawValue: rawValue | other.rawValue) }
}

/// Which LE Meta subevents the controller sends (7.8.1): bit 0 is subevent 1.
@frozen
public struct LEEventMask: Equatable, Sendable, BitwiseCopyable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static var afterReset: Self { Self(rawValue: 0x1F) }
  public static var advertisingReport: Self { Self(rawValue: 1 << 1) }
  public static var directedAdvertisingReport: Self { Self(rawValue: 1 << 10) }
  public static var extendedAdvertisingReport: Self { Self(rawValue: 1 << 12) }
  public static var scanTimeout: Self { Self(rawValue: 1 << 16) }

  @inlinable public func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }
  @inlinable public func union(_ other: Self) -> Self { Self(rawValue: rawValue | other.rawValue) }
}
