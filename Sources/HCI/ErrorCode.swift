// SPDX-License-Identifier: GPL-3.0-or-later

/// The status a controller answers a command with (Core Specification 5.4, Volume 1, Part F, 1.3).
@frozen
public struct ErrorCode: Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt8
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static var success: Self { Self(rawValue: 0x00) }
  public static var unknownCommand: Self { Self(rawValue: 0x01) }
  public static var hardwareFailure: Self { Self(rawValue: 0x03) }
  public static var memoryExceeded: Self { Self(rawValue: 0x07) }
  public static var commandDisallowed: Self { Self(rawValue: 0x0C) }
  public static var unsupportedParameter: Self { Self(rawValue: 0x11) }
  public static var invalidParameters: Self { Self(rawValue: 0x12) }
}
