// SPDX-License-Identifier: GPL-3.0-or-later

/// What the setup core did and refused since the start.
public struct SetupCounters: Equatable, Sendable {
  public var sessionsOpened: UInt64 = 0
  public var sessionsExpired: UInt64 = 0
  public var requestsOpened: UInt64 = 0
  /// Identifiers and tokens that were not the caller's.
  public var foreignRefused: UInt64 = 0
  /// Devices that an app was told of before they were chosen.
  public var disclosed: UInt64 = 0
  public var resolved: UInt64 = 0
  public var added: UInt64 = 0
  public var removed: UInt64 = 0
  public var setupsFailed: UInt64 = 0
  /// Touches that chose nothing: several devices, several requests, or a device that may not be chosen by touch.
  public var touchesRefused: UInt64 = 0
  public var automaticFailed: UInt64 = 0
  /// Devices whose retry was forgotten because there were too many.
  public var automaticForgotten: UInt64 = 0
  public var commitsFailed: UInt64 = 0

  public init() {}
}
